# acquire creates a folder as a lock, with the process id in it. It fails if another process holds the lock. It takes
# over the lock of a process that has ended, or that took the lock more than 15 minutes ago.
acquire() {
	if ! mkdir "$1" 2>/dev/null; then
		owner=$(cat "$1/pid" 2>/dev/null)
		now=$(date +%s)
		since=$(date -r "$1" +%s 2>/dev/null || echo "$now")
		age=$((now - since))
		if [ "$age" -ge 0 ]; then # a lock from the future is taken over
			if [ "$age" -lt 5 ]; then return 1; fi
			if [ -n "$owner" ] && kill -0 "$owner" 2>/dev/null && [ "$age" -lt 900 ]; then return 1; fi
		fi
		mv "$1" "$1.$$" 2>/dev/null || return 1 # if several processes take it over, one succeeds
		rm -rf "$1.$$"
		mkdir "$1" 2>/dev/null || return 1
	fi
	echo $$ >"$1/pid" || true # the disk may be full
}
