package redact

import "strings"

// charset is a set of bytes that the rest of a token is made of.
type charset uint8

const (
	alnum   charset = 1 << iota // letters and digits
	dash                        // "-" and "_"
	dot                         // "."
	slashed                     // "+", "/" and "="
	colons                      // ":", "|", "!" and "$"
	hexa                        // hexadecimal digits
	solid                       // what no blank, quotation mark or angle bracket is
)

const (
	wide   = alnum | dash
	dotted = wide | dot
	any64  = wide | slashed
)

var sets = func() (table [256]charset) {
	for c := range 256 {
		b := byte(c)
		if isAlnum(b) {
			table[c] |= alnum
		}
		if isHexDigit(b) {
			table[c] |= hexa
		}
		if b > ' ' && strings.IndexByte("\"'`<>", b) < 0 {
			table[c] |= solid
		}
	}
	for _, one := range [...]struct {
		of    charset
		bytes string
	}{{dash, "-_"}, {dot, "."}, {slashed, "+/="}, {colons, ":|!$"}} {
		for i := range len(one.bytes) {
			table[one.bytes[i]] |= one.of
		}
	}
	return table
}()

// prefix is how the tokens of one vendor begin, and what has to follow.
type prefix struct {
	text  string
	kind  string
	set   charset
	least int // bytes after text
}

// prefixes say by themselves what they are of. A word that only may be a token
// needs a name or a keyword beside it: that is what the other rules are for.
var prefixes = [...]prefix{
	{"sk_live_", StripeKey, wide, 10},
	{"rk_live_", StripeKey, wide, 10},
	{"sk_test_", StripeKey, wide, 10},
	{"rk_test_", StripeKey, wide, 10},
	{"whsec_", Secret, any64, 20},
	{"glpat-", GitLabToken, dotted, 16},
	{"gldt-", GitLabToken, dotted, 16},
	{"glrt-", GitLabToken, dotted, 16},
	{"glcbt-", GitLabToken, dotted, 16},
	{"glptt-", GitLabToken, dotted, 16},
	{"glft-", GitLabToken, dotted, 16},
	{"glsoat-", GitLabToken, dotted, 16},
	{"glimt-", GitLabToken, dotted, 16},
	{"glagent-", GitLabToken, dotted, 16},
	{"github_pat_", GitHubToken, wide, 20},
	{"hvs.", Token, wide, 24},
	{"hvb.", Token, wide, 24},
	{"dop_v1_", Token, hexa, 40},
	{"doo_v1_", Token, hexa, 40},
	{"dor_v1_", Token, hexa, 40},
	{"hf_", Token, alnum, 28},
	{"shpat_", Token, hexa, 24},
	{"shpca_", Token, hexa, 24},
	{"shppa_", Token, hexa, 24},
	{"shpss_", Token, hexa, 24},
	{"pypi-", Token, wide, 40},
	{"SG.", APIKey, dotted, 40},
	{"dapi", Token, hexa | dash, 32},
	{"NRAK-", APIKey, alnum, 20},
	{"NRJS-", APIKey, alnum, 16},
	{"glsa_", Token, wide, 30},
	{"glc_", Token, any64, 30},
	{"lin_api_", APIKey, alnum, 28},
	{"lin_oauth_", APIKey, alnum, 28},
	{"ntn_", Token, alnum, 30},
	{"PMAK-", APIKey, wide, 40},
	{"sbp_", Token, hexa, 32},
	{"pscale_", Token, dotted, 24},
	{"dckr_pat_", Token, wide, 20},
	{"dckr_oat_", Token, wide, 20},
	{"rubygems_", APIKey, hexa, 32},
	{"sntrys_", Token, any64, 30},
	{"sntryu_", Token, hexa, 32},
	{"gsk_", APIKey, alnum, 30},
	{"r8_", Token, alnum, 30},
	{"lsv2_", APIKey, wide, 30},
	{"nfp_", Token, alnum, 28},
	{"xkeysib-", APIKey, wide, 40},
	{"xsmtpsib-", APIKey, wide, 40},
	{"tskey-", Token, wide, 20},
	{"sq0atp-", Token, wide, 20},
	{"sq0csp-", Secret, wide, 30},
	{"pul-", Token, hexa, 32},
	{"AGE-SECRET-KEY-", PrivateKey, wide, 40},
	{"amzn.mws.", Token, wide, 32},
	{"GOCSPX-", Secret, wide, 20},
	{"ya29.", Token, dotted, 30},
	{"sl.", Token, wide, 60},
	{"ATATT3", Token, any64, 60},
	{"ATCTT3", Token, any64, 60},
	{"ATBB", Token, any64, 28},
	{"ATTA", Token, hexa, 60},
	{"figd_", Token, wide, 30},
	{"figo_", Token, wide, 30},
	{"pplx-", APIKey, alnum, 32},
	{"pcsk_", APIKey, wide, 40},
	{"xai-", APIKey, alnum, 40},
	{"nvapi-", APIKey, wide, 40},
	{"fw_", APIKey, alnum, 20},
	{"ABSK", APIKey, any64, 80},
	{"bkua_", Token, hexa, 32},
	{"CCIPAT_", Token, wide, 30},
	{"CCIPRJ_", Token, wide, 30},
	{"squ_", Token, hexa, 32},
	{"sqp_", Token, hexa, 32},
	{"sqa_", Token, hexa, 32},
	{"AKCp", Token, alnum, 50},
	{"cmVmdGtu", Token, alnum, 40},
	{"vcp_", Token, wide, 20},
	{"rnd_", APIKey, alnum, 20},
	{"CFPAT-", Token, wide, 30},
	{"dp.pt.", Token, alnum, 30},
	{"dp.st.", Token, dotted, 30},
	{"dp.ct.", Token, alnum, 30},
	{"dp.sa.", Token, alnum, 30},
	{"ops_eyJ", Token, any64, 80},
	{"hcaik_", APIKey, alnum, 30},
	{"hcxik_", APIKey, alnum, 30},
	{"dt0c01.", Token, dotted, 40},
	{"dt0s01.", Token, dotted, 40},
	{"sec-c-", Secret, any64, 30},
	{"syt_", Token, wide, 20},
	{"pnu_", Token, alnum, 30},
	{"tfp_", Token, wide, 40},
	{"rdme_", APIKey, alnum, 40},
	{"oy2", APIKey, alnum, 43},
	{"cio", Token, alnum, 32},
	{"EZAK", APIKey, alnum, 40},
	{"EZTK", APIKey, alnum, 40},
	{"API-", APIKey, alnum, 24},
	{"FLWSECK", Secret, wide, 12},
	{"FlyV1 fm", Token, any64, 40},
	{"fm2_", Token, any64, 40},
	{"fo1_", Token, wide, 30},
	{"rzp_live_", APIKey, alnum, 14},
	{"duffel_live_", Token, any64, 30},
	{"duffel_test_", Token, any64, 30},
	{"shippo_live_", Token, alnum, 30},
	{"shippo_test_", Token, alnum, 30},
	{"secret-live-", Secret, any64, 20},
	{"secret-test-", Secret, any64, 20},
	{"sm_aat_", Token, alnum, 14},
	{"fio-u-", Token, any64, 40},
	{"tk-us-", Token, wide, 40},
	{"CLOJARS_", Token, alnum, 40},
	{"oper_", Token, wide, 40},
	{"v1.0-", Token, hexa | dash, 120},
	{"vault:v1:", Secret, any64, 20},
	{"xoxe.", SlackToken, dotted, 20},
	{"xapp-", SlackToken, wide, 20},
	{"apify_api_", Token, alnum, 20},
	{"cal_live_", Token, alnum, 20},
	{"coze_", Token, any64, 20},
	{"EAACEdEose0cBA", Token, alnum, 10},
	{"sgp_", Token, wide, 30},
	{"waka_", APIKey, wide, 30},
	{"phc_", APIKey, alnum, 30},
	{"phx_", APIKey, alnum, 30},
	{"tvly-", APIKey, wide, 20},
	{"jina_", APIKey, wide, 30},
	{"pa-", APIKey, wide, 40},
	{"e2b_", APIKey, hexa, 32},
	{"re_", APIKey, wide, 20},
	{"access_token$", Token, alnum | colons, 40},
	{"access_token$production$", Token, alnum | colons, 40},
	{"access_token$sandbox$", Token, alnum | colons, 40},
	{"eyJhIjoi", Token, any64, 100}, // Cloudflare's tunnels
	{"00D", Token, dotted | colons, 60},
	{"Atzr|", Token, any64, 60},
	{"Atza|", Token, any64, 60},
	{"1//0", Token, wide, 40},
	{"1/", Token, hexa | colons, 40},
	{"2/", Token, hexa | colons, 40},
	{"AAAAAAAAAAAAAAAAAAAAA", Token, alnum, 30},
	{"EAA", Token, alnum, 80},
	{"EAAA", Token, wide, 50},
	{"pat", Token, dotted, 70},
	{"pat.", Token, dotted, 40},
	{"pat-", Token, wide, 30},
	{"key-", APIKey, hexa, 32},
	{"sk_", APIKey, wide, 32},
	{"u+", Token, alnum, 18},
	{"oauth:", Token, alnum, 28},
	{"RWRTY0Iy", PrivateKey, any64, 100}, // minisign
	{"LS0tLS1CRUdJTi", PrivateKey, any64, 60},
}

// prefixesBy finds prefixes by their first two bytes; prefixPairs says which bytes
// follow a first one.
var (
	prefixesBy  = indexOf(len(prefixes), func(i int) byte { return pairOf(prefixes[i].text) })
	prefixPairs = func() (table [128][2]uint64) {
		for i := range prefixes {
			first, second := prefixes[i].text[0], prefixes[i].text[1]
			table[first][second>>6] |= 1 << (second & 63)
		}
		return table
	}()
)

func pairOf(s string) byte { return s[0]*31 + s[1] }

// vendorToken recognises a token by the prefix its vendor gave it.
func (c *scan) vendorToken(i int) (kind string, end int) {
	if i+8 > len(c.s) || c.s[i] >= 128 || c.s[i+1] >= 128 {
		return "", i
	}
	if first, second := c.s[i], c.s[i+1]; prefixPairs[first][second>>6]&(1<<(second&63)) == 0 {
		return "", i
	}
	rest := c.s[i:]
	for at := prefixesBy.first[pairOf(rest)]; at != 0; at = prefixesBy.next[at] {
		p := &prefixes[at-1]
		if !strings.HasPrefix(rest, p.text) {
			continue
		}
		if isOpenPEM(rest) {
			return "", i
		}
		end := spanOf(c.s, i+len(p.text), p.set)
		if end-i-len(p.text) < p.least || !isDrawn(c.s[i+len(p.text):end]) {
			continue
		}
		return p.kind, end
	}
	return "", i
}

// isOpenPEM recognises "-----BEGIN CERT" and "-----BEGIN PUBL" in base64.
func isOpenPEM(s string) bool {
	return strings.HasPrefix(s, "LS0tLS1CRUdJTiBDRVJU") || strings.HasPrefix(s, "LS0tLS1CRUdJTiBQVUJM")
}

// isDrawn reports that the rest of a token is neither words nor a placeholder.
func isDrawn(s string) bool {
	s = window(s, 64)
	m := makeupOf(s)
	if isPlaceholder(s) {
		return false
	}
	switch {
	case m.hexOnly:
		return m.digits >= 4
	case m.digits < 2:
		return m.length >= 24 && m.changes >= 6 && m.common*3 < m.pairs*2
	}
	return m.changes >= 3 && (m.pairs < 6 || m.common*4 <= m.pairs*3)
}

// spanOf is the end of the run of bytes of a set that begins at i. Points and
// signs at its end belong to the sentence.
func spanOf(s string, i int, set charset) int {
	end := i
	for end < len(s) && sets[s[end]]&set != 0 && !strings.HasPrefix(s[end:], "-----") {
		end++
	}
	for end > i && (s[end-1] == '.' || s[end-1] == ':' || s[end-1] == '!') {
		end--
	}
	return end
}
