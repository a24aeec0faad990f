# acquire makes a folder that one process at a time has, and fails if another has it. It names its process: one that is gone has
# left it, and so has one of a quarter of an hour ago.
acquire() {
	if ! mkdir "$1" 2>/dev/null; then
		owner=$(cat "$1/pid" 2>/dev/null)
		now=$(date +%s)
		since=$(date -r "$1" +%s 2>/dev/null || echo "$now")
		age=$((now - since))
		if [ "$age" -ge 0 ]; then # one dated ahead does not wait until then
			if [ "$age" -lt 5 ]; then return 1; fi
			if [ -n "$owner" ] && kill -0 "$owner" 2>/dev/null && [ "$age" -lt 900 ]; then return 1; fi
		fi
		mv "$1" "$1.$$" 2>/dev/null || return 1 # of several that find it, one takes it away
		rm -rf "$1.$$"
		mkdir "$1" 2>/dev/null || return 1
	fi
	echo $$ >"$1/pid" || true # a full disk has no room for it
}
