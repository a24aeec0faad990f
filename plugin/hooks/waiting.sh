# The folder of the events that are kept while the plugin in $r has no programs: missing.sh adds events, replay.sh
# gives them to the programs.
waiting=$r/programs/waiting
mostEvents=1000
largestEvent=1000000 # bytes

# behind runs a script of the plugin in the background. The script continues when this hook and its session end.
behind() {
	if command -v setsid >/dev/null; then
		setsid sh "$r/hooks/$1" "$r" </dev/null >/dev/null 2>&1 &
	else
		nohup sh "$r/hooks/$1" "$r" </dev/null >/dev/null 2>&1 &
	fi
}
