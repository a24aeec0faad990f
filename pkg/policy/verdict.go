package policy

import "math"

// mostOf is the quantile of the normal distribution for an interval of 95 %.
const mostOf = 1.96

// VerdictWeight is a factor on the importance of the memories that a rule keeps, made of
// people's verdicts on the earlier ones: 1 unless most of these were surely put away, and
// above 0.5 always. The share put away is taken at the lower end of Wilson's interval of
// 95 % (E. B. Wilson, JASA 22, 1927), so that few verdicts change nothing: four of four
// are the fewest that do. The weight falls from 1 as that end rises above one half.
func VerdictWeight(confirmed, putAway int) float64 {
	n := float64(confirmed + putAway)
	if n == 0 {
		return 1
	}
	const z = mostOf
	share := float64(putAway) / n
	center := share + z*z/(2*n)
	spread := z * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	low := (center - spread) / (1 + z*z/n)
	return 1 - max(low-0.5, 0)
}
