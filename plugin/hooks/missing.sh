# What run.sh does while the plugin in $r has no programs: it has them fetched, in the background, and says so where
# somebody reads it. The rest of a session goes on as if the plugin were not there.

work=$r/programs

# say tells the user: as a hook, in the client's JSON.
say() {
	case $hook in
	session-start | setup) printf '{"systemMessage":"surrealdb-memory: %s"}\n' "$(printf %s "$1" | tr -d '\\"' | tr '\n\t\r' '   ')" ;;
	memory*) printf 'surrealdb-memory: %s\n' "$1" >&2 ;;
	esac
}

# leave ends this process: with an error only where somebody waits for a result.
leave() {
	case $hook in memory*) exit 1 ;; esac
	exit 0
}

if [ ! -f "$r/programs.txt" ]; then
	say "its programs are not built, so nothing is remembered. To build them: make -C '${r%/*}' build"
	leave
fi

# Other hooks do not try again what has just failed: the next session does, and whoever asks for the command.
case $hook in
session-start | setup | memory*) start=yes ;;
*) if [ -f "$work/failed" ]; then start=no; else start=yes; fi ;;
esac
failed=
[ ! -f "$work/failed" ] || failed=$(cat "$work/failed")
if [ "$start" = yes ]; then
	if command -v setsid >/dev/null; then
		setsid sh "$r/hooks/fetch.sh" "$r" </dev/null >/dev/null 2>&1 &
	else
		nohup sh "$r/hooks/fetch.sh" "$r" </dev/null >/dev/null 2>&1 &
	fi
fi

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
	say "its programs are missing, so nothing is remembered: $failed. It is tried again with each session; they are fetched from $address"
else
	say "its programs are being downloaded (once, about 20 MB); what happens from then on is remembered"
fi
leave
