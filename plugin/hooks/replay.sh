# replay.sh ROOT gives the events that were kept while ROOT had no programs to the hook programs, in their order. If
# it runs several times at once, one process does the work and the others exit. An event's file is removed when the
# program has put the event into the spool.

r=$1
. "$r/hooks/waiting.sh"
. "$r/hooks/lock.sh"
if [ ! -d "$waiting" ] || [ ! -O "$waiting" ] || [ -L "$waiting" ]; then exit 0; fi
umask 077
lock=$waiting/.replaying
acquire "$lock" || exit 0
trap 'rm -rf "$lock"' EXIT
trap 'exit 1' HUP INT TERM
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
