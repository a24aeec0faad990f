# replay.sh ROOT hands the events that were kept while ROOT had no programs to those that it has now, in their order; of
# several at the same time one does. An event is removed once its program has put it into the spool.

r=$1
. "$r/hooks/waiting.sh"
. "$r/hooks/lock.sh"
if [ ! -d "$waiting" ] || [ ! -O "$waiting" ] || [ -L "$waiting" ]; then exit 0; fi
umask 077
lock=$waiting/.replaying
acquire "$lock" || exit 0
trap 'rm -rf "$lock"' EXIT
trap 'exit 1' HUP INT TERM
unset CLAUDE_ENV_FILE # of the session that starts this, and not of that of an event
replaying=yes

for event in "$waiting"/*-*; do # the names begin with the time
	[ -f "$event" ] || continue
	hook=${event##*/}
	set -- --at "${hook%%-*}"
	hook=${hook#*-} hook=${hook#*-}
	(
		IFS= read -r CLAUDE_PROJECT_DIR
		export CLAUDE_PROJECT_DIR
		. "$r/hooks/run.sh"
	) <"$event" >/dev/null 2>&1 || exit 1 # the next session tries again
	rm -f "$event"
done
rm -rf "$lock"
rmdir "$waiting" 2>/dev/null
exit 0
