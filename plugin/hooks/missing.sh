# run.sh sources this file while the plugin in $r has no programs. It downloads them in the background, and tells the
# user where a message is shown. Meanwhile it runs the programs of the previous version, if they are still there;
# otherwise it keeps each event for replay.sh.

work=$r/programs
. "$r/hooks/waiting.sh"

# keep writes the event on standard input into a file, with its project in the first line. It skips events
# that no hook would capture.
keep() {
	case $hook in memory* | setup | pre-tool-use | permission-request | subagent-start | teammate-idle) return ;; esac
	project=${CLAUDE_PROJECT_DIR-}
	case $project in *"
"*) project= ;; esac
	case ${MEMORY_DISABLED-} in '' | 0 | false) ;; *) return ;; esac # the programs check the other switches
	if [ -n "$project" ] && [ -e "$project/.claude/memory-off" ]; then return; fi
	if [ -L "$work" ] || [ -L "$waiting" ]; then return; fi
	umask 077
	mkdir -p "$waiting"
	count=0
	for event in "$waiting"/*-*; do [ ! -e "$event" ] || count=$((count + 1)); done
	if [ ! -O "$waiting" ] || [ "$count" -ge "$mostEvents" ]; then return; fi
	event=$(date +%s).$(printf %04d "$count")-$$-$hook
	{ printf '%s\n' "$project" && head -c "$largestEvent"; } >"$waiting/.$event" && mv "$waiting/.$event" "$waiting/$event" && meanwhile="; what happens meanwhile is kept"
	cat >/dev/null # the client may still write
} 2>/dev/null

# say shows the user a line: as a hook, in the client's JSON.
say() {
	case $hook in
	session-start | setup) printf '{"systemMessage":"surrealdb-memory: %s"}\n' "$(printf %s "$1" | tr -d '\\"' | tr '\n\t\r' '   ')" ;;
	memory*) printf 'surrealdb-memory: %s\n' "$1" >&2 ;;
	esac
}

# leave exits. The exit code is 1 for a command, whose caller waits for a result, and 0 for a hook.
leave() {
	case $hook in memory*) exit 1 ;; esac
	exit 0
}

if [ ! -f "$r/programs.txt" ]; then
	say "its programs are not built, so nothing is remembered. To build them: make -C '${r%/*}' build"
	leave
fi

# After a failed download only the start of a session, Setup and the commands try again.
case $hook in
session-start | setup | memory*) start=yes ;;
*) if [ -f "$work/failed" ]; then start=no; else start=yes; fi ;;
esac
failed=
[ ! -f "$work/failed" ] || failed=$(cat "$work/failed")
if [ "$start" = yes ]; then
	behind fetch.sh
fi

# The client keeps the previous version for some days after an update.
case $r in
*/plugins/cache/*)
	before=
	for complete in "${r%/*}"/*/node_modules/@*/$slug/complete "${r%/*}"/*/programs/$slug/complete; do
		case $complete in "$r"/*) continue ;; esac
		[ ! -f "$complete" ] || before=${complete%/complete}
	done
	case $hook in
	memory*) [ -z "$before" ] || exec "$before/libexec/$hook" "$@" ;;
	*) [ -z "$before" ] || exec "$before/libexec/hook" "$hook" "$@" ;;
	esac
	;;
esac

meanwhile=
keep
for complete in "$work"/$slug/complete; do # they may have been installed meanwhile
	[ ! -f "$complete" ] || behind replay.sh
done

# The client waits 30 seconds for the server of a session, and a person for a command.
case $hook in
memory*)
	left=25
	while [ "$left" -gt 0 ]; do
		for complete in "$work"/$slug/complete; do
			[ ! -f "$complete" ] || exec "${complete%/complete}/libexec/$hook" "$@"
		done
		left=$((left - 1))
		if [ "$left" -lt 23 ] && [ ! -e "$work/.fetching" ]; then break; fi # it has failed
		sleep 1
	done
	[ ! -f "$work/failed" ] || failed=$(cat "$work/failed")
	;;
esac

if [ "$start" = yes ] && [ -w "$work" ]; then
	if ! printf x >"$work/.room.$$"; then failed="$work cannot be written, is the disk full?"; fi
	rm -f "$work/.room.$$"
fi 2>/dev/null

while read -r key value rest; do
	[ "$key" != address ] || address=$value
done <"$r/programs.txt"
if [ -L "$work" ] || { [ -e "$work" ] && { [ ! -O "$work" ] || [ ! -w "$work" ]; }; } || { [ ! -e "$work" ] && [ ! -w "$r" ]; }; then
	failed="$work has to be a folder of yours that you can write to"
fi
if [ -n "$failed" ]; then
	say "its programs are missing: $failed. It is tried again with each session; they are fetched from $address$meanwhile"
else
	size=30
	command -v node >/dev/null || size=80
	say "its programs and database are being downloaded (once, about $size MB)$meanwhile"
fi
leave
