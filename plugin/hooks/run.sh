# Executes the program $hook of the plugin in $r; hooks/hook, .mcp.json and bin/memory source this file. The programs
# are where `make build`, the client's npm or fetch.sh has put them. The exit status is never 2, on which the client
# would refuse a prompt.

if [ -x "$r/libexec/$hook" ]; then exec "$r/libexec/$hook" "$@"; fi

# The plugin's folder may be shared with a container or another kind of machine, whose programs cannot run here.
if [ "${OS-}" = Windows_NT ]; then
	slug=win32-*
elif [ -d /System/Library ]; then
	slug=darwin-*
else
	case $(uname -m) in x86_64) slug=linux-x64 ;; aarch64) slug=linux-arm64 ;; *) slug=linux-none ;; esac
fi
for complete in "$r/node_modules"/@*/$slug/complete "$r/programs"/$slug/complete; do
	[ -f "$complete" ] || continue
	root=${complete%/complete}
	if [ -d "$r/programs/waiting" ] && [ -z "${replaying-}" ]; then
		. "$r/hooks/waiting.sh"
		behind replay.sh
	fi
	case $hook in memory*) exec "$root/libexec/$hook" "$@" ;; esac
	# Puts a link to the program in the place of hooks/hook, but not in a checkout, where git would show it as a
	# change.
	if [ "$slug" != 'win32-*' ] && [ "$0" = "$r/hooks/hook" ] && [ -w "$r/hooks" ] && [ ! -e "${r%/*}/.git" ]; then
		ln -s "..${root#"$r"}/libexec/hook" "$r/hooks/.hook.$$" && mv -f "$r/hooks/.hook.$$" "$r/hooks/hook"
	fi 2>/dev/null
	exec "$root/libexec/hook" "$hook" "$@"
done

[ -z "${replaying-}" ] || exit 1
[ ! -f "$r/hooks/missing.sh" ] || . "$r/hooks/missing.sh"
exit 0
