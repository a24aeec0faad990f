# fetch.sh ROOT downloads the programs for this machine that ROOT/programs.txt lists into ROOT/programs. If it runs
# several times at once, one process downloads and the others exit. It downloads a git bundle, because who has the
# plugin has git, but perhaps neither npm nor tar. It checks the size and the SHA-256 from the list, and moves the
# programs to their place only when they are complete. After a failure the reason is in ROOT/programs/failed.

r=$1
work=$r/programs
umask 077

# The folder must belong to this user and not be a link, because programs in it will be started.
mkdir -p "$work" 2>/dev/null
if [ -L "$work" ] || [ ! -O "$work" ] || [ ! -w "$work" ]; then exit 1; fi

. "$r/hooks/lock.sh"
lock=$work/.fetching
acquire "$lock" || exit 0
part=$work/.part
trap 'rm -rf "$part" "$lock"' EXIT
trap 'exit 1' HUP INT TERM
rm -rf "$part"

# fail writes the reason on one line and exits. It deletes the download first, because the disk may be full.
fail() {
	rm -rf "$part"
	printf '%s' "$1" | tr '\n\t\r' '   ' >"$work/failed"
	exit 1
}

said() { tail -n 1 "$part/said" 2>/dev/null | cut -c 1-300; }

mkdir "$part" 2>/dev/null || fail "$work cannot be written; is the disk full?"

system=$(uname -s) machine=$(uname -m)
case $system in MINGW* | MSYS* | CYGWIN*) system=Windows ;; esac
case $machine in amd64) machine=x86_64 ;; esac
if [ "$system" = Darwin ]; then case $machine in aarch64) machine=arm64 ;; esac; else case $machine in arm64) machine=aarch64 ;; esac; fi
address='' file=''
while read -r key value name sum size slug; do
	case $key in
	address) address=$value ;;
	"$system") if [ "$value" = "$machine" ]; then file=$name wanted=$sum bytes=$size place=$slug; fi ;;
	esac
done <"$r/programs.txt"
[ -n "$file" ] || fail "this release has no programs for $system on $machine"
if [ -f "$work/$place/complete" ]; then exit 0; fi

# The bundle, git's copy of it and the programs take five times the bundle's size. Without df the space is not
# checked.
free=$(df -Pk "$work" 2>/dev/null | tail -n 1 | { read -r _ _ _ free _ && echo "$free"; })
if [ -n "$free" ] && [ "$free" -lt $((bytes / 200)) ]; then
	fail "the disk is full: $((free / 1000)) MB are free in $work, and about $((bytes / 200000)) MB are needed"
fi

url=$address/$file bundle=$part/bundle
# bounded limits the size of the file that a command writes, because not every download program stops at the announced
# size.
bounded() { (ulimit -f $((bytes / 512 + 1)) && exec "$@"); }
if command -v curl >/dev/null; then
	bounded curl --fail --silent --show-error --location --retry 2 --connect-timeout 20 --max-time 840 --max-filesize "$bytes" --output "$bundle" "$url" 2>"$part/said" ||
		fail "$url cannot be downloaded: $(said)"
elif command -v wget >/dev/null; then
	bounded wget -q -T 60 -O "$bundle" "$url" 2>"$part/said" || fail "$url cannot be downloaded: $(said)"
else # git can, from 2.38 on (gitremote-helpers, get)
	printf 'get %s %s\n\n' "$url" "$bundle" | bounded git remote-"${url%%:*}" "$url" "$url" >/dev/null 2>"$part/said"
	[ -f "$bundle" ] || fail "$url cannot be downloaded with git alone, curl would help: $(said)"
fi

size=$(wc -c <"$bundle") size=$((size))
[ "$size" -eq "$bytes" ] || fail "$url is not what the release has ($size bytes instead of $bytes); a proxy may have answered in its place. It was not used"
if command -v sha256sum >/dev/null; then check=sha256sum; else check='shasum -a 256'; fi
found=$($check "$bundle" 2>"$part/said") || fail "what was downloaded cannot be checked: $(said)"
[ "${found%% *}" = "$wanted" ] || fail "$url is not what the release has (SHA-256 ${found%% *} instead of $wanted); a proxy may have answered in its place. It was not used"

# git unpacks without the user's settings and hooks.
(
	export HOME="$part" XDG_CONFIG_HOME="$part" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
	unset GIT_DIR GIT_WORK_TREE GIT_TEMPLATE_DIR GIT_INDEX_FILE
	git -c core.autocrlf=false -c core.symlinks=false clone --quiet --template= --branch programs "$bundle" "$part/tree"
) 2>"$part/said" || fail "the programs cannot be unpacked in $work: $(said)"
rm -rf "$part/tree/.git"
(cd "$part/tree" && $check -c complete) >/dev/null 2>"$part/said" || fail "the programs were not unpacked whole, is the disk full? $(said)"
chmod -R go-rwx "$part/tree"
sync 2>/dev/null
rm -rf "${work:?}/$place"
mv "$part/tree" "$work/$place" 2>"$part/said" || fail "the programs cannot be put into $work: $(said)"
rm -f "$work/failed"
rm -rf "$part" "$lock"
exec sh "$r/hooks/replay.sh" "$r"
