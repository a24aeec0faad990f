# The events that hooks keep while the plugin in $r has no programs: missing.sh adds them, replay.sh hands them over.
waiting=$r/programs/waiting
mostEvents=1000
largestEvent=1000000 # bytes

# behind runs a script of the plugin in the background, where neither the end of this hook nor that of its session ends it.
behind() {
	if command -v setsid >/dev/null; then
		setsid sh "$r/hooks/$1" "$r" </dev/null >/dev/null 2>&1 &
	else
		nohup sh "$r/hooks/$1" "$r" </dev/null >/dev/null 2>&1 &
	fi
}
