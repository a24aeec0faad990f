// Code generated from the folder rules by go test ./pkg/secrets -update; DO NOT EDIT.

package secrets

var prefixes = [...]prefix{
	{"aad3b435b51404eeaad3b435b51404ee:", "password", hexa, 32, plain},
	{"access_token$production$", "token", alnum | colons, 40, drawn},
	{"access_token$sandbox$", "token", alnum | colons, 40, drawn}, {"AAAAAAAAAAAAAAAAAAAAA", "token", alnum, 30, drawn},
	{"LS0tLS1CRUdJTiBDRVJU", "", any64, 0, public}, {"LS0tLS1CRUdJTiBQVUJM", "", any64, 0, public},
	{"access-production-", "token", hexa | dash, 36, drawn}, {"bedrock-api-key-", "api-key", any64, 20, plain},
	{"AGE-SECRET-KEY-", "private-key", wide, 40, drawn}, {"access-sandbox-", "token", hexa | dash, 36, drawn},
	{"EAACEdEose0cBA", "token", alnum, 10, drawn}, {"LS0tLS1CRUdJTi", "private-key", any64, 60, plain},
	{"pbkdf2_sha256$", "password", any64 | colons, 40, plain}, {"SCRAM-SHA-256$", "password", any64 | colons, 60, plain},
	{"duffel_live_", "token", any64, 30, drawn}, {"duffel_test_", "token", any64, 30, drawn},
	{"shippo_test_", "token", alnum, 30, drawn}, {"secret-live-", "secret", any64, 20, drawn},
	{"secret-test-", "secret", any64, 20, drawn}, {"grub.pbkdf2.", "password", dotted, 60, plain},
	{"github_pat_", "github-token", wide, 20, drawn}, {"lin_oauth_", "api-key", alnum, 28, drawn},
	{"sb_secret_", "secret", wide, 26, drawn}, {"dckr_pat_", "token", wide, 20, drawn},
	{"dckr_oat_", "token", wide, 20, drawn}, {"rubygems_", "api-key", hexa, 32, drawn},
	{"xsmtpsib-", "api-key", wide, 40, drawn}, {"amzn.mws.", "token", wide, 32, drawn},
	{"rzp_live_", "api-key", alnum, 14, drawn}, {"vault:v1:", "secret", any64, 20, drawn},
	{"GR1348941", "gitlab-token", wide, 20, drawn}, {"s-s4t2ud-", "secret", hexa, 64, drawn},
	{"s-s4t2af-", "secret", hexa, 64, drawn}, {"authress_", "api-key", any64 | dot, 60, drawn},
	{"sk-or-v1-", "api-key", hexa, 32, drawn}, {"sk_live_", "stripe-key", wide, 10, plain},
	{"rk_live_", "stripe-key", wide, 10, plain}, {"sk_test_", "stripe-key", wide, 10, plain},
	{"rk_test_", "stripe-key", wide, 10, plain}, {"glagent-", "gitlab-token", dotted, 16, drawn},
	{"lin_api_", "api-key", alnum, 28, drawn}, {"xkeysib-", "api-key", wide, 40, drawn},
	{"cmVmdGtu", "token", alnum, 40, drawn}, {"FlyV1 fm", "token", any64, 40, drawn},
	{"CLOJARS_", "token", alnum, 40, drawn}, {"eyJhIjoi", "token", any64, 100, drawn},
	{"RWRTY0Iy", "private-key", any64, 100, drawn}, {"eyJrIjoi", "api-key", alnum, 70, plain},
	{"api_org_", "token", alnum, 34, plain}, {"WPL_AP1.", "secret", dotted, 16, drawn},
	{"sk-ant-", "anthropic-key", wide, 16, plain}, {"glsoat-", "gitlab-token", dotted, 16, drawn},
	{"dop_v1_", "token", hexa, 40, drawn}, {"doo_v1_", "token", hexa, 40, drawn}, {"dor_v1_", "token", hexa, 40, drawn},
	{"pscale_", "token", dotted, 24, drawn}, {"sntrys_", "token", any64, 30, drawn},
	{"sntryu_", "token", hexa, 32, drawn}, {"sq0atp-", "token", wide, 20, drawn}, {"sq0csp-", "secret", wide, 30, drawn},
	{"GOCSPX-", "secret", wide, 20, drawn}, {"CCIPAT_", "token", wide, 30, drawn}, {"CCIPRJ_", "token", wide, 30, drawn},
	{"ops_eyJ", "token", any64, 80, drawn}, {"dt0c01.", "token", dotted, 40, drawn},
	{"dt0s01.", "token", dotted, 40, drawn}, {"FLWSECK", "secret", wide, 12, drawn},
	{"sm_aat_", "token", alnum, 14, drawn}, {"glffct-", "gitlab-token", wide, 20, drawn},
	{"sha256~", "token", wide, 43, drawn}, {"sm_sat_", "token", alnum, 14, drawn},
	{"retool_", "token", alnum, 20, drawn}, {"whsec_", "secret", any64, 20, drawn},
	{"glpat-", "gitlab-token", dotted, 16, drawn}, {"glcbt-", "gitlab-token", dotted, 16, drawn},
	{"glptt-", "gitlab-token", dotted, 16, drawn}, {"glimt-", "gitlab-token", dotted, 16, drawn},
	{"shpat_", "token", hexa, 24, drawn}, {"shpca_", "token", hexa, 24, drawn}, {"shppa_", "token", hexa, 24, drawn},
	{"shpss_", "token", hexa, 24, drawn}, {"tskey-", "token", wide, 20, drawn}, {"ATATT3", "token", any64, 60, drawn},
	{"ATCTT3", "token", any64, 60, drawn}, {"nvapi-", "api-key", wide, 40, drawn}, {"CFPAT-", "token", wide, 30, drawn},
	{"dp.pt.", "token", alnum, 30, drawn}, {"dp.st.", "token", dotted, 30, drawn}, {"dp.ct.", "token", alnum, 30, drawn},
	{"dp.sa.", "token", alnum, 30, drawn}, {"hcaik_", "api-key", alnum, 30, drawn},
	{"hcxik_", "api-key", alnum, 30, drawn}, {"sec-c-", "secret", any64, 30, drawn},
	{"fio-u-", "token", any64, 40, drawn}, {"tk-us-", "token", wide, 40, drawn}, {"oauth:", "token", alnum, 28, drawn},
	{"gloas-", "gitlab-token", wide, 40, drawn}, {"dnkey-", "api-key", wide, 60, drawn},
	{"sk-lf-", "secret", hexa | dash, 32, drawn}, {"xoxa-", "slack-token", wide, 10, plain},
	{"xoxb-", "slack-token", wide, 10, plain}, {"xoxc-", "slack-token", wide, 10, plain},
	{"xoxd-", "slack-token", wide, 10, plain}, {"xoxe-", "slack-token", wide, 10, plain},
	{"xoxo-", "slack-token", wide, 10, plain}, {"xoxp-", "slack-token", wide, 10, plain},
	{"xoxr-", "slack-token", wide, 10, plain}, {"xoxs-", "slack-token", wide, 10, plain},
	{"gldt-", "gitlab-token", dotted, 16, drawn}, {"glrt-", "gitlab-token", dotted, 16, drawn},
	{"glft-", "gitlab-token", dotted, 16, drawn}, {"pypi-", "token", wide, 40, drawn},
	{"NRAK-", "api-key", alnum, 20, drawn}, {"NRJS-", "api-key", alnum, 16, drawn}, {"glsa_", "token", wide, 30, drawn},
	{"PMAK-", "api-key", wide, 40, drawn}, {"lsv2_", "api-key", wide, 30, drawn}, {"ya29.", "token", dotted, 30, drawn},
	{"figd_", "token", wide, 30, drawn}, {"figo_", "token", wide, 30, drawn}, {"pplx-", "api-key", alnum, 32, drawn},
	{"pcsk_", "api-key", wide, 40, drawn}, {"bkua_", "token", hexa, 32, drawn}, {"rdme_", "api-key", alnum, 40, drawn},
	{"oper_", "token", wide, 40, drawn}, {"v1.0-", "token", hexa | dash, 120, drawn},
	{"xoxe.", "slack-token", dotted, 20, plain}, {"xapp-", "slack-token", wide, 20, drawn},
	{"coze_", "token", any64, 20, drawn}, {"waka_", "api-key", wide, 30, drawn}, {"tvly-", "api-key", wide, 20, drawn},
	{"jina_", "api-key", wide, 30, drawn}, {"Atzr|", "token", any64, 60, drawn}, {"Atza|", "token", any64, 60, drawn},
	{"cmVmd", "token", alnum, 59, drawn}, {"HRKU-", "api-key", wide, 36, drawn}, {"dbtc_", "token", wide, 30, drawn},
	{"nsec1", "private-key", alnum, 50, drawn}, {"bkct_", "token", alnum, 30, drawn},
	{"crsr_", "api-key", alnum, 40, drawn}, {"sl.u.", "token", wide, 60, drawn},
	{"ghp_", "github-token", alnum, 20, drawn}, {"gho_", "github-token", alnum, 20, drawn},
	{"ghu_", "github-token", alnum, 20, drawn}, {"ghs_", "github-token", alnum, 20, drawn},
	{"ghr_", "github-token", alnum, 20, drawn}, {"npm_", "npm-token", alnum, 30, drawn},
	{"AIza", "google-key", wide, 30, drawn}, {"AKIA", "aws-key", caps, 16, exact}, {"ASIA", "aws-key", caps, 16, exact},
	{"ABIA", "aws-key", caps, 16, exact}, {"ACCA", "aws-key", caps, 16, exact}, {"hvs.", "token", wide, 24, drawn},
	{"hvb.", "token", wide, 24, drawn}, {"dapi", "token", hexa | dash, 32, drawn}, {"glc_", "token", any64, 30, drawn},
	{"ntn_", "token", alnum, 30, drawn}, {"sbp_", "token", hexa, 32, drawn}, {"gsk_", "api-key", alnum, 30, drawn},
	{"nfp_", "token", alnum, 28, drawn}, {"pul-", "token", hexa, 32, drawn}, {"ATBB", "token", any64, 28, drawn},
	{"ATTA", "token", hexa, 60, drawn}, {"xai-", "api-key", alnum, 40, drawn}, {"ABSK", "api-key", any64, 80, drawn},
	{"squ_", "token", hexa, 32, drawn}, {"sqp_", "token", hexa, 32, drawn}, {"sqa_", "token", hexa, 32, drawn},
	{"AKCp", "token", alnum, 50, drawn}, {"vcp_", "token", wide, 20, drawn}, {"rnd_", "api-key", alnum, 20, drawn},
	{"syt_", "token", wide, 20, drawn}, {"pnu_", "token", alnum, 30, drawn}, {"tfp_", "token", wide, 40, drawn},
	{"EZAK", "api-key", alnum, 40, drawn}, {"EZTK", "api-key", alnum, 40, drawn}, {"API-", "api-key", alnum, 24, drawn},
	{"fm2_", "token", any64, 40, drawn}, {"fo1_", "token", wide, 30, drawn}, {"sgp_", "token", wide, 30, drawn},
	{"phc_", "api-key", alnum, 30, drawn}, {"phx_", "api-key", alnum, 30, drawn}, {"e2b_", "api-key", hexa, 32, drawn},
	{"1//0", "token", wide, 40, drawn}, {"EAAA", "token", wide, 22, drawn}, {"pat-", "token", wide, 30, drawn},
	{"key-", "api-key", hexa, 32, drawn}, {"p8e-", "secret", alnum, 32, drawn}, {"LTAI", "access-key", alnum, 16, drawn},
	{"pat.", "token", dotted, 40, drawn}, {"sat.", "token", dotted, 60, drawn}, {"AQVN", "api-key", wide, 35, drawn},
	{"ico-", "api-key", alnum, 32, drawn}, {"4b1d", "api-key", alnum, 38, drawn}, {"npg_", "password", alnum, 12, drawn},
	{"sk-", "openai-key", wide, 20, drawn}, {"hf_", "token", alnum, 28, drawn}, {"SG.", "api-key", dotted, 40, drawn},
	{"r8_", "token", alnum, 30, drawn}, {"sl.", "token", wide, 60, drawn}, {"fw_", "api-key", alnum, 20, drawn},
	{"oy2", "api-key", alnum, 43, drawn}, {"cio", "token", alnum, 32, drawn}, {"pa-", "api-key", wide, 40, drawn},
	{"re_", "api-key", wide, 20, drawn}, {"00D", "token", dotted | colons, 60, drawn}, {"EAA", "token", alnum, 80, drawn},
	{"pat", "token", dotted, 70, drawn}, {"sk_", "api-key", wide, 32, drawn}, {"t1.", "token", any64 | dot, 86, drawn},
	{"A3-", "secret", caps | dash, 34, drawn}, {"A3T", "aws-key", caps, 17, exact},
	{"1/", "token", hexa | colons, 40, drawn}, {"2/", "token", hexa | colons, 40, drawn}, {"u+", "token", alnum, 18, drawn},
	{"SK", "api-key", hexa, 32, exact}, {"s.", "token", alnum, 24, exact},
}

var prefixesBy = index{first: [256]uint16{0: 121, 3: 56, 5: 161, 6: 199, 8: 118, 9: 112, 10: 136, 14: 153, 18: 211, 26: 32, 27: 217, 30: 184, 32: 1, 33: 151, 34: 2, 38: 9, 40: 148, 42: 149, 44: 28, 47: 49, 48: 192, 50: 124, 51: 72, 52: 34, 57: 37, 60: 171, 61: 210, 63: 132, 67: 8, 69: 47, 72: 29, 73: 123, 78: 191, 79: 23, 80: 14, 82: 18, 83: 133, 84: 180, 85: 17, 86: 215, 88: 35, 89: 141, 90: 68, 91: 57, 94: 59, 96: 62, 99: 86, 102: 172, 105: 45, 106: 43, 108: 129, 109: 183, 111: 140, 114: 174, 119: 95, 123: 126, 125: 22, 126: 137, 127: 24, 130: 131, 135: 5, 136: 189, 138: 98, 139: 53, 140: 87, 144: 65, 145: 15, 156: 11, 171: 30, 173: 170, 174: 194, 180: 46, 181: 175, 184: 160, 194: 147, 195: 94, 196: 113, 197: 138, 198: 67, 199: 178, 200: 85, 201: 179, 202: 130, 209: 73, 210: 96, 217: 50, 225: 64, 226: 21, 229: 40, 230: 44, 232: 61, 233: 128, 234: 202, 235: 20, 236: 159, 241: 186, 242: 13, 243: 42, 247: 100, 248: 181, 251: 27, 253: 116, 254: 173}, next: []uint16{0, 4, 3, 7, 0, 6, 12, 10, 26, 0, 152, 185, 117, 0, 0, 16, 0, 70, 19, 93, 31, 0, 41, 158, 25, 82, 0, 91, 0, 0, 0, 0, 33, 193, 0, 36, 38, 39, 51, 0, 52, 155, 122, 135, 0, 0, 48, 0, 0, 177, 0, 99, 69, 54, 55, 0, 0, 58, 0, 60, 166, 0, 63, 0, 125, 66, 0, 157, 71, 74, 78, 187, 83, 201, 75, 76, 77, 97, 79, 80, 81, 0, 0, 84, 162, 188, 0, 88, 89, 90, 0, 92, 0, 0, 119, 0, 0, 109, 0, 196, 101, 102, 103, 104, 105, 106, 107, 108, 127, 110, 111, 115, 0, 114, 0, 156, 0, 0, 0, 120, 0, 206, 0, 139, 150, 142, 0, 0, 164, 0, 0, 0, 0, 134, 0, 0, 0, 0, 0, 0, 0, 200, 143, 144, 145, 146, 0, 195, 0, 169, 0, 165, 0, 154, 0, 0, 0, 0, 0, 0, 0, 0, 163, 205, 0, 0, 167, 168, 0, 0, 0, 0, 203, 197, 0, 176, 0, 0, 0, 0, 198, 182, 0, 0, 213, 207, 190, 0, 0, 0, 204, 0, 0, 0, 0, 0, 209, 0, 0, 0, 0, 0, 0, 0, 208, 0, 0, 0, 0, 216, 214, 212, 0, 0, 0, 0, 0, 0}}

// prefixPairs says which bytes follow a first one.
var prefixPairs = [128][2]uint64{'0': {0x1000000000000, 0x0}, '1': {0x800000000000, 0x0}, '2': {0x800000000000, 0x0}, '4': {0x0, 0x400000000}, 'A': {0x8000000000000, 0x100000001b0a8e}, 'C': {0x0, 0x1048}, 'E': {0x0, 0x4000002}, 'F': {0x0, 0x100000001000}, 'G': {0x0, 0x48000}, 'H': {0x0, 0x40000}, 'L': {0x0, 0x180000}, 'N': {0x0, 0x40000}, 'P': {0x0, 0x2000}, 'R': {0x0, 0x800000}, 'S': {0x0, 0x888}, 'W': {0x0, 0x10000}, 'a': {0x0, 0x21200a00000000}, 'b': {0x0, 0x82000000000}, 'c': {0x0, 0x4a20000000000}, 'd': {0x0, 0x31c00e00000000}, 'e': {0x4000000000000, 0x200000000000000}, 'f': {0x0, 0x80a20000000000}, 'g': {0x0, 0xc130000000000}, 'h': {0x0, 0x40004800000000}, 'i': {0x0, 0x800000000}, 'j': {0x0, 0x20000000000}, 'k': {0x0, 0x2000000000}, 'l': {0x0, 0x8020000000000}, 'n': {0x0, 0x59004000000000}, 'o': {0x0, 0x201000200000000}, 'p': {0x100000000000000, 0x229410e00000000}, 'r': {0x100000000000000, 0x420483000000000}, 's': {0x600000000000, 0x20279a600000000}, 't': {0x2000000000000, 0x48084000000000}, 'u': {0x80000000000, 0x0}, 'v': {0x2000000000000, 0xa00000000}, 'w': {0x0, 0x10200000000}, 'x': {0x0, 0x8880200000000}, 'y': {0x0, 0x200000000}}

var programs = [...]program{
	{"sshpass", "-p {} ; -p{}"}, {"mysql", "-p{}"}, {"mysqldump", "-p{}"}, {"mysqladmin", "-p{} ; password {}"},
	{"mysqlimport", "-p{}"}, {"mysqlsh", "-p{}"}, {"mysqlshow", "-p{}"}, {"mycli", "-p{}"}, {"mariadb", "-p{}"},
	{"mariadb-dump", "-p{}"}, {"mariadb-admin", "-p{}"}, {"redis-cli", "-a|--pass {} ; auth|AUTH {}"},
	{"valkey-cli", "-a|--pass {} ; auth|AUTH {}"}, {"keydb-cli", "-a|--pass {}"}, {"docker", "has:login -p {}"},
	{"podman", "has:login -p {}"}, {"nerdctl", "has:login -p {}"}, {"buildah", "has:login -p {}"},
	{"skopeo", "--creds|--src-creds|--dest-creds _:{} ; --creds=_:{} ; --src-creds=_:{} ; --dest-creds=_:{} ; -p {}"},
	{"crane", "has:login -p {}"}, {"oras", "has:login -p {}"}, {"helm", "has:login -p {}"}, {"oc", "has:login -p {}"},
	{"az", "has:login -p {}"}, {"cf", "has:login -p {}"}, {"doctl", "-t {}"}, {"ibmcloud", "has:login -p {}"},
	{"tea", "-t {}"}, {"twine", "-p {}"}, {"prefect", "-k {}"}, {"dotnet", "has:nuget -k|-p {}"},
	{"curl", "-u|-_u|--user|-U|--proxy-user _:{}|{key}: ; -u_:{} ; --user=_:{} ; -U_:{} ; --proxy-user=_:{} ; --oauth2-bearer|--pass|--proxy-pass|--tlspassword {}"},
	{"http", "-a|--auth _:{} ; -a_:{} ; --auth=_:{}"}, {"https", "-a|--auth _:{} ; -a_:{} ; --auth=_:{}"},
	{"xh", "-a|--auth _:{} ; -a_:{} ; --auth=_:{}"}, {"xhs", "-a|--auth _:{} ; -a_:{} ; --auth=_:{}"},
	{"ab", "-A|-P _:{} ; -A_:{} ; -P_:{}"}, {"lftp", "-u _,{} ; -u_,{} ; -u _:{} ; -u_:{}"}, {"ncftpput", "-p {}"},
	{"ncftpget", "-p {}"}, {"ncftp", "-p {}"}, {"smbclient", "-U|--user _%{} ; -U_%{} ; --user=_%{} ; //_|\\\\_ {odd}"},
	{"rpcclient", "-U|--user _%{} ; -U_%{} ; --user=_%{}"}, {"smbget", "-U|--user _%{} ; -U_%{} ; --user=_%{}"},
	{"smbmap", "-p {}"}, {"crackmapexec", "-p {}"}, {"netexec", "-p {}"}, {"nxc", "-p {}"}, {"evil-winrm", "-p {}"},
	{"winexe", "-U _%{} ; -U_%{}"}, {"psexec", "-p {}"}, {"rdesktop", "-p {}"}, {"openssl", "-k|-K {} ; pass:{}"},
	{"ssh-keygen", "-N|-P {}"}, {"zip", "-P|--password {} ; -P{}"}, {"unzip", "-P {} ; -P{}"}, {"7z", "-p{}"},
	{"7za", "-p{}"}, {"7zz", "-p{}"}, {"7zr", "-p{}"}, {"rar", "-p{} ; -hp{}"}, {"unrar", "-p{} ; -hp{}"},
	{"ldapsearch", "-w {} ; -w{}"}, {"ldapadd", "-w {} ; -w{}"}, {"ldapmodify", "-w {} ; -w{}"},
	{"ldapdelete", "-w {} ; -w{}"}, {"ldapcompare", "-w {} ; -w{}"}, {"ldapmodrdn", "-w {} ; -w{}"},
	{"ldapwhoami", "-w {} ; -w{}"}, {"ldappasswd", "-w|-s|-a {}"}, {"mongo", "-p {}"}, {"mongosh", "-p {}"},
	{"mongodump", "-p {}"}, {"mongorestore", "-p {}"}, {"mongoimport", "-p {}"}, {"mongoexport", "-p {}"},
	{"mongostat", "-p {}"}, {"mongotop", "-p {}"}, {"cqlsh", "-p {}"}, {"cypher-shell", "-p {}"}, {"cbq", "-p {}"},
	{"couchbase-cli", "-p {}"}, {"surreal", "-p|--pass {}"}, {"sqlcmd", "-P {} ; -P{}"}, {"bcp", "-P {} ; -P{}"},
	{"osql", "-P {} ; -P{}"}, {"isql", "-P {} ; -P{}"}, {"tsql", "-P {}"}, {"sqlplus", "_/{word}@_ ; _/{bare}"},
	{"sqlldr", "_/{word}@_ ; _/{bare}"}, {"expdp", "_/{word}@_ ; _/{bare}"}, {"impdp", "_/{word}@_ ; _/{bare}"},
	{"rman", "_/{word}@_ ; _/{bare}"}, {"exp", "_/{word}@_ ; _/{bare}"}, {"imp", "_/{word}@_ ; _/{bare}"},
	{"rabbitmqctl", "add_user|change_password|authenticate_user _ {}"}, {"rabbitmqadmin", "-p {}"},
	{"mosquitto_pub", "-P {}"}, {"mosquitto_sub", "-P {}"},
	{"mosquitto_passwd", "has:-b|-bc|-cb|-nb|-bn|-nbB|-bB|-bnB|-Bb|-Bbn|-Bbc|-bcB|-bBc _ _ {} $"},
	{"htpasswd", "has:-b|-bc|-cb|-nb|-bn|-nbB|-bB|-bnB|-Bb|-Bbn|-Bbc|-bcB|-bBc _ _ {} $"},
	{"htdigest", "has:-b|-bc|-cb|-nb|-bn|-nbB|-bB|-bnB|-Bb|-Bbn|-Bbc|-bcB|-bBc _ _ {} $"},
	{"net", "^ use … \\\\_ {} ; ^ use … /user:_ {} ; ^ user _ {}"},
	{"net.exe", "^ use … \\\\_ {} ; ^ use … /user:_ {} ; ^ user _ {}"}, {"useradd", "-p {}"}, {"usermod", "-p {}"},
	{"security", "-w|-p {}"}, {"wpa_passphrase", "^ _ {} $"}, {"snmpwalk", "-A|-X|-c {}"}, {"snmpget", "-A|-X|-c {}"},
	{"snmpset", "-A|-X|-c {}"}, {"snmpbulkwalk", "-A|-X|-c {}"}, {"ipmitool", "-P {}"},
	{"composer", "http-basic._ _ {} ; github-oauth._|gitlab-token._|pypi-token._|bearer._ {}"},
	{"poetry", "http-basic._ _ {} ; github-oauth._|gitlab-token._|pypi-token._|bearer._ {}"},
	{"aws", "--secret-string {} ; has:SecureString --value {} ; --master-user-password {}"},
	{"gh", "has:secret -b|--body {}"},
	{"kubectl", "has:create has:secret --from-literal=_={} ; has:create has:secret --from-literal _={}"},
	{"vault", "login|auth|init {long}"}, {"snyk", "login|auth|init {long}"}, {"cargo", "login|auth|init {long}"},
	{"shodan", "login|auth|init {long}"}, {"echo", "(piped)"}, {"printf", "(piped)"},
	{"sudo", "has:-S <<< {} ; has:-S <<<{}"}, {"chpasswd", "<<< _:{} ; <<<_:{}"}, {"send", "(expect)"},
	{"AUTH", "^ {odd} $ ; ^ _ {odd} $"}, {"ConvertTo-SecureString", "-String {} ; ^ {quoted}"},
	{"NickServ", "identify|IDENTIFY {}"}, {"bw", "unlock {}"}, {"bundle", "_:{odd}"},
	{"mc", "{key} $ ; {key} {key} $ ; alias set _ _ {} {} $"}, {"b2", "{key} $ ; {key} {key} $ ; alias set _ _ {} {} $"},
	{"addauth", "_:{odd}"}, {"db2", "using|USING {}"}, {".LOGON", "^ _,{}"}, {"fly", "-t|--access-token {}"},
	{"flyctl", "-t|--access-token {}"}, {"vercel", "-t|--token {}"}, {"netlify", "--auth {}"},
	{"xfreerdp", "/p:{} ; /pass:{} ; /password:{} ; /pw:{} ; /gp:{} ; /rp:{}"},
	{"mstsc", "/p:{} ; /pass:{} ; /password:{} ; /pw:{} ; /gp:{} ; /rp:{}"},
	{"cmdkey", "/p:{} ; /pass:{} ; /password:{} ; /pw:{} ; /gp:{} ; /rp:{}"}, {"-setcookie", "^ {}"},
	{"-u", "^ _:{odd}"}, {"--user", "^ _:{odd}"}, {"--auth", "^ _:{odd}"}, {"--basic-auth", "^ _:{odd}"},
	{"--creds", "^ _:{odd}"}, {"--credentials", "^ _:{odd}"}, {"-t", "^ {key}"}, {"-k", "^ {key}"}, {"-p", "^ {odd}"},
	{"-P", "^ {odd}"}, {"snmp-server", "community {}"}, {"rocommunity", "^ {}"}, {"rwcommunity", "^ {}"},
	{"tacacs-server", "key {}"}, {"radius-server", "key {}"}, {"isakmp", "key {}"}, {"schtasks", "/rp|/RP|/p|/P {}"},
	{"signtool", "/p {}"}, {"qpdf", "--encrypt {} {}"}, {"pdftk", "user_pw|owner_pw|input_pw {}"},
	{"ansible-vault", "encrypt_string {quoted}"}, {"rclone", "obscure {}"},
	{"config", "set|--global|--local … <name> {}"}, {"veracrypt", "-p {}"}, {"key-string", "^ {}"},
	{"pre-shared-key", "^ {odd}"}, {"pre-shared-secret", "^ {odd}"}, {"certutil", "-p {}"},
	{"reg", "/v <name> … /d {}"}, {"createUser", "^ _ _ {} ; ^ _ _ {} _ {}"}, {"sp_addlogin", "^ _ , {}"},
	{"CONNECT", "^ _/{word}@_"}, {"connect", "^ _/{word}@_"}, {"SETUSER", ">{}"}, {"unseal", "^ {key}"},
	{"altool", "-p {}"}, {"iwconfig", "key _:{}"},
}

var programsBy = index{first: [256]uint16{0: 139, 1: 86, 3: 172, 4: 33, 8: 112, 14: 91, 16: 59, 18: 2, 20: 108, 23: 24, 24: 130, 25: 43, 26: 165, 28: 6, 29: 7, 30: 166, 31: 10, 32: 38, 33: 25, 36: 11, 41: 154, 42: 92, 48: 46, 52: 5, 53: 169, 57: 71, 61: 148, 62: 70, 64: 15, 66: 107, 67: 103, 68: 125, 69: 61, 71: 97, 72: 179, 73: 161, 74: 34, 75: 66, 76: 138, 77: 41, 78: 23, 79: 65, 83: 113, 87: 17, 89: 14, 90: 31, 92: 21, 93: 152, 94: 53, 96: 16, 99: 55, 102: 48, 105: 180, 106: 67, 112: 140, 113: 20, 114: 63, 117: 122, 118: 28, 119: 114, 122: 83, 123: 160, 124: 36, 126: 56, 127: 69, 130: 19, 136: 98, 137: 132, 138: 12, 140: 109, 143: 45, 144: 74, 146: 145, 148: 144, 152: 62, 153: 163, 157: 82, 163: 78, 165: 80, 168: 60, 169: 90, 170: 168, 173: 32, 180: 102, 181: 127, 182: 174, 185: 119, 186: 129, 187: 85, 191: 147, 192: 68, 193: 126, 194: 3, 195: 44, 197: 13, 198: 52, 199: 4, 200: 135, 203: 58, 205: 30, 206: 9, 207: 18, 208: 94, 209: 51, 211: 26, 213: 1, 215: 87, 219: 116, 221: 22, 222: 39, 223: 37, 225: 64, 226: 47, 228: 101, 231: 171, 232: 29, 235: 8, 236: 95, 239: 96, 240: 142, 241: 54, 242: 137, 243: 84, 244: 162, 246: 77, 247: 131, 248: 124, 249: 167, 252: 104, 255: 100}, next: []uint16{0, 89, 182, 73, 0, 75, 50, 0, 27, 35, 0, 88, 0, 0, 0, 133, 0, 117, 81, 49, 0, 0, 181, 0, 0, 0, 0, 128, 134, 153, 0, 0, 0, 0, 0, 0, 0, 0, 42, 40, 0, 0, 105, 0, 0, 0, 93, 110, 0, 0, 72, 0, 0, 170, 57, 0, 0, 0, 0, 120, 0, 0, 79, 178, 0, 0, 0, 146, 0, 0, 0, 0, 0, 0, 0, 76, 0, 0, 136, 157, 151, 0, 143, 0, 121, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 115, 0, 99, 0, 0, 0, 0, 0, 0, 106, 0, 118, 0, 0, 111, 123, 0, 0, 0, 0, 0, 0, 0, 0, 176, 0, 0, 0, 0, 156, 164, 175, 150, 0, 0, 149, 155, 0, 0, 0, 0, 177, 0, 141, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 173, 159, 0, 158, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}

var programLengths = [128]uint32{45: 0x34c4, 46: 0x40, 55: 0xc, 97: 0x20dc, 98: 0xcc, 99: 0x4035fc, 100: 0x68, 101: 0x438, 102: 0x48, 103: 0x4, 104: 0x130, 105: 0x178, 107: 0x680, 108: 0xc90, 109: 0x13fa4, 110: 0x1a8, 111: 0x94, 112: 0x240e0, 113: 0x10, 114: 0x2b58, 115: 0x1fd0, 116: 0x2038, 117: 0xe0, 118: 0x660, 119: 0x4040, 120: 0x10c, 122: 0x8}

var readers = [...]reader{
	{"chpasswd", ""}, {"sudo", "-S"}, {"cryptsetup", ""}, {"gcloud", "secrets"}, {"gh", "--with-token"},
	{"gh", "secret set"}, {"kinit", ""}, {"smbpasswd", "-s"}, {"openssl", "stdin"}, {"htpasswd", "-i"}, {"su", ""},
	{"gpg", "--passphrase-fd"}, {"pass", "insert"}, {"vault", "-"}, {"wrangler", "secret put"}, {"vercel", "env add"},
	{"flyctl", "secrets"}, {"wg", "pubkey"}, {"wpa_passphrase", ""}, {"security", ""}, {"az", "login"}, {"ssh-add", "-"},
	{"argocd", "login"}, {"doppler", "secrets set"}, {"faillock", ""}, {"base64", ""},
}

var sureNames = [...]ending{
	{"password", "password"}, {"passwords", "password"}, {"passwd", "password"}, {"passphrase", "password"},
	{"passcode", "password"}, {"passwort", "password"}, {"kennwort", "password"}, {"contrasena", "password"},
	{"pwd", "password"}, {"bindpw", "password"}, {"rootpw", "password"}, {"userpw", "password"}, {"adminpw", "password"},
	{"motdepasse", "password"}, {"mdp", "password"}, {"senha", "password"}, {"clave", "password"}, {"haslo", "password"},
	{"heslo", "password"}, {"parola", "password"}, {"wachtwoord", "password"}, {"passord", "password"},
	{"losenord", "password"}, {"adgangskode", "password"}, {"salasana", "password"}, {"lozinka", "password"},
	{"jelszo", "password"}, {"masterauth", "password"}, {"secret", "secret"}, {"secretstring", "secret"},
	{"secretkeybase", "secret"}, {"token", "token"}, {"apikey", "api-key"}, {"secretaccesskey", "aws-key"},
	{"accesskey", "access-key"}, {"accountkey", "access-key"}, {"secretkey", "secret"}, {"privatekey", "secret"},
	{"presharedkey", "secret"}, {"authkey", "api-key"}, {"signingkey", "secret"}, {"encryptionkey", "secret"},
	{"privatemac", "private-key"}, {"dockerconfigjson", "secret"}, {"dockercfg", "secret"},
	{"authorization", "authorization"}, {"bearer", "authorization"}, {"snmpcommunity", "password"},
	{"keymaterial", "password"},
}

var sureNamesBy = index{first: [256]uint16{97: 8, 99: 43, 100: 1, 101: 4, 103: 30, 104: 28, 108: 49, 110: 32, 111: 18, 112: 15, 114: 47, 115: 2, 116: 6, 119: 10, 121: 33}, next: []uint16{0, 3, 0, 9, 5, 14, 7, 29, 16, 21, 11, 12, 13, 0, 17, 0, 20, 24, 19, 27, 25, 22, 23, 0, 31, 26, 0, 0, 0, 0, 45, 0, 44, 34, 35, 36, 37, 38, 39, 40, 41, 42, 48, 0, 46, 0, 0, 0, 0, 0}}

var likelyNames = [...]ending{
	{"key", "api-key"}, {"keys", "api-key"}, {"signature", "token"}, {"sig", "token"}, {"auth", "token"},
	{"session", "token"}, {"sessionid", "token"}, {"sid", "token"}, {"pat", "token"}, {"jwt", "token"},
	{"creds", "secret"}, {"salt", "secret"}, {"psk", "secret"}, {"csrf", "token"}, {"xsrf", "token"},
	{"appid", "api-key"}, {"license", "api-key"}, {"login", "token"}, {"assertion", "token"}, {"cookie", "cookie"},
	{"mnemonic", "secret"}, {"secretid", "token"}, {"appcertificate", "api-key"}, {"samlresponse", "token"},
	{"accounts", "private-key"}, {"keydata", "secret"}, {"pepper", "secret"}, {"seed", "secret"}, {"totp", "secret"},
	{"encrypt", "secret"},
}

var likelyNamesBy = index{first: [256]uint16{97: 26, 99: 21, 100: 7, 101: 3, 102: 14, 103: 4, 104: 5, 107: 13, 110: 6, 112: 29, 114: 27, 115: 2, 116: 9, 121: 1}, next: []uint16{0, 0, 11, 17, 0, 0, 18, 8, 16, 10, 12, 25, 30, 0, 15, 0, 22, 20, 19, 0, 23, 0, 28, 24, 0, 0, 0, 0, 0, 0, 0}}

var nameParts = [...]ending{
	{"passw", "password"}, {"secret", "secret"}, {"token", "token"}, {"api_key", "api-key"}, {"apikey", "api-key"},
	{"api-key", "api-key"}, {"credential", "secret"}, {"_psk", "password"}, {"pwd_", "password"},
}

var descriptors = [...]ending{
	{"id", ""}, {"ids", ""}, {"name", ""}, {"path", ""}, {"url", ""}, {"uri", ""}, {"arn", ""}, {"hash", ""},
	{"file", ""}, {"type", ""}, {"count", ""}, {"digest", ""}, {"checksum", ""}, {"fingerprint", ""}, {"version", ""},
	{"at", ""}, {"expiry", ""}, {"expires", ""}, {"header", ""}, {"field", ""}, {"endpoint", ""}, {"policy", ""},
	{"ref", ""}, {"prefix", ""}, {"public", ""}, {"issuer", ""}, {"audience", ""}, {"label", ""}, {"placeholder", ""},
	{"algorithm", ""}, {"size", ""}, {"length", ""}, {"limit", ""}, {"usage", ""}, {"provider", ""}, {"title", ""},
	{"hint", ""}, {"email", ""}, {"user", ""}, {"nonce", ""}, {"etag", ""}, {"release", ""}, {"revision", ""},
	{"commit", ""}, {"sha", ""}, {"build", ""}, {"channel", ""}, {"page", ""}, {"link", ""}, {"dsn", ""},
	{"workspace", ""}, {"org", ""},
}

var descriptorsBy = index{first: [256]uint16{97: 45, 99: 25, 100: 1, 101: 3, 102: 23, 103: 41, 104: 4, 105: 6, 107: 49, 108: 5, 109: 13, 110: 7, 114: 19, 115: 2, 116: 11, 120: 24, 121: 17}, next: []uint16{0, 20, 18, 9, 8, 28, 0, 15, 32, 10, 27, 12, 14, 30, 16, 43, 21, 22, 0, 26, 46, 33, 0, 0, 0, 0, 29, 31, 38, 35, 0, 34, 0, 37, 36, 39, 40, 44, 47, 0, 42, 52, 48, 50, 0, 0, 0, 0, 51, 0, 0, 0, 0}}

// lastPairs holds the last two letters of all endings.
var lastPairs = [26]uint32{0: 0x80804, 3: 0x48010, 4: 0x10a2008, 5: 0x40, 7: 0x1, 8: 0x205c, 10: 0x1, 11: 0x84001, 13: 0x41, 14: 0x2000, 15: 0x480000, 17: 0x80038, 18: 0x40410, 19: 0x1048091, 21: 0x10, 22: 0x80008, 24: 0x40000, 25: 0x4000}

var keywords = [...]keyword{
	{"password", "password", ofPassword}, {"passwords", "password", ofPassword}, {"passwd", "password", ofPassword},
	{"pwd", "password", ofPassword}, {"pw", "password", ofPassword}, {"pass", "password", ofPassword},
	{"passphrase", "password", ofPassword}, {"passcode", "password", ofPassword}, {"passwort", "password", ofPassword},
	{"kennwort", "password", ofPassword}, {"contrase", "password", ofPassword}, {"passe", "password", ofPassword},
	{"mdp", "password", ofPassword}, {"senha", "password", ofPassword}, {"wachtwoord", "password", ofPassword},
	{"clave", "password", ofPassword}, {"parola", "password", ofPassword}, {"heslo", "password", ofPassword},
	{"haslo", "password", ofPassword}, {"passord", "password", ofPassword}, {"adgangskode", "password", ofPassword},
	{"salasana", "password", ofPassword}, {"lozinka", "password", ofPassword}, {"unexpected", "", against},
	{"passwordless", "", against}, {"psk", "password", ofPassword}, {"identified", "password", ofPassword},
	{"key", "api-key", ofKey}, {"keys", "api-key", ofKey}, {"api", "api-key", ofKey}, {"tokens", "token", ofKey},
	{"pat", "token", ofKey}, {"jwt", "token", ofKey}, {"bearer", "authorization", ofKey},
	{"basic", "authorization", ofKey}, {"secrets", "secret", ofKey}, {"auth", "token", ofKey},
	{"authkey", "token", ofKey}, {"webhook", "secret", ofKey}, {"wif", "private-key", ofKey},
	{"otp", "secret", ofNumber}, {"pin", "secret", ofNumber}, {"cvv", "secret", ofNumber}, {"cvc", "secret", ofNumber},
	{"code", "secret", ofNumber}, {"codes", "secret", ofNumber}, {"credentials", "password", ofPair},
	{"credential", "password", ofPair}, {"creds", "password", ofPair}, {"login", "password", ofPair},
	{"logins", "password", ofPair}, {"log", "password", ofPair}, {"logon", "password", ofPair},
	{"mnemonic", "secret", ofPhrase}, {"seed", "secret", ofPhrase}, {"phrase", "secret", ofPhrase},
	{"recovery", "secret", ofPhrase}, {"words", "secret", ofPhrase}, {"hash", "", against}, {"hashes", "", against},
	{"commit", "", against}, {"sha", "", against}, {"sha1", "", against}, {"sha256", "", against},
	{"sha512", "", against}, {"md5", "", against}, {"digest", "", against}, {"checksum", "", against},
	{"fingerprint", "", against}, {"integrity", "", against}, {"etag", "", against}, {"public", "", against},
	{"cache", "", against}, {"id", "", against}, {"ids", "", against}, {"uuid", "", against}, {"revision", "", against},
	{"rev", "", against}, {"primary", "", against}, {"foreign", "", against}, {"trusted", "", against},
	{"image", "", against}, {"trace", "", against}, {"request", "", against}, {"pubkey", "", against},
	{"recipient", "", against}, {"signature", "", against}, {"certificate", "", against}, {"h1", "", against},
	{"token", "token", ofKey}, {"secret", "secret", ofKey}, {"puk", "secret", ofNumber},
	{"combination", "secret", ofNumber}, {"geheimzahl", "secret", ofNumber}, {"zugangscode", "secret", ofNumber},
	{"wallet", "secret", ofPhrase}, {"bip39", "secret", ofPhrase}, {"metamask", "secret", ofPhrase},
	{"wifi", "password", ofPair}, {"wlan", "password", ofPair}, {"totp", "secret", ofKey}, {"tan", "secret", ofNumber},
	{"eap", "password", ofPassword}, {"use", "password", ofPair}, {"keypad", "secret", ofNumber},
	{"alarm", "secret", ofNumber}, {"intercom", "secret", ofNumber},
}

var keywordsBy = index{first: [256]uint16{3: 42, 8: 13, 9: 66, 10: 22, 14: 79, 16: 43, 18: 99, 19: 75, 22: 18, 25: 44, 27: 70, 28: 1, 29: 21, 30: 63, 31: 102, 37: 50, 39: 33, 41: 8, 43: 88, 46: 97, 49: 74, 50: 34, 54: 68, 57: 80, 59: 57, 64: 29, 80: 35, 81: 32, 82: 45, 83: 61, 88: 101, 89: 5, 90: 67, 91: 25, 93: 87, 96: 107, 98: 98, 99: 6, 103: 7, 105: 60, 107: 37, 111: 28, 113: 16, 121: 78, 122: 71, 125: 24, 129: 4, 131: 94, 133: 51, 137: 39, 139: 15, 140: 52, 147: 89, 155: 82, 156: 59, 157: 64, 160: 93, 165: 38, 172: 77, 173: 14, 177: 104, 179: 58, 181: 55, 183: 17, 186: 23, 187: 105, 189: 31, 195: 76, 201: 10, 203: 106, 204: 12, 206: 11, 208: 103, 209: 72, 213: 36, 219: 84, 220: 26, 222: 3, 223: 96, 225: 47, 232: 83, 235: 56, 236: 9, 239: 85, 250: 54, 253: 20, 254: 2}, next: []uint16{0, 0, 0, 0, 0, 30, 0, 48, 27, 0, 0, 0, 40, 0, 0, 0, 73, 0, 19, 41, 0, 0, 0, 0, 0, 0, 92, 0, 62, 0, 0, 0, 0, 46, 0, 0, 0, 0, 0, 0, 95, 0, 69, 0, 81, 0, 49, 0, 0, 0, 53, 0, 0, 0, 0, 0, 0, 0, 0, 0, 65, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 91, 0, 0, 0, 0, 86, 0, 0, 0, 0, 0, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}

var keywordLengths = [128]uint32{97: 0x8b8, 98: 0x60, 99: 0xd78, 100: 0x40, 101: 0x18, 102: 0x880, 103: 0x400, 104: 0x74, 105: 0x72c, 106: 0x8, 107: 0x158, 108: 0xe8, 109: 0x108, 111: 0x8, 112: 0x17fc, 114: 0x388, 115: 0x3f8, 116: 0xf8, 117: 0x418, 119: 0x4f8, 122: 0x800}

var keywordSeconds = [128]uint32{97: 0x211010, 98: 0x222, 99: 0x449122, 100: 0x200, 101: 0x100002, 102: 0x8200, 103: 0x20, 104: 0x20022, 105: 0x6010, 106: 0x800000, 107: 0x20, 108: 0x8000, 109: 0x4030, 111: 0x100000, 112: 0xac0302, 114: 0x20, 115: 0x322, 116: 0x48002, 117: 0x284000, 119: 0x9222, 122: 0x200000}

var foreignWords = [...]foreignWord{
	{"has", "ło", keyword{"password", "password", ofPassword}, false},
	{"l", "ösenord", keyword{"password", "password", ofPassword}, false},
	{"jelsz", "ó", keyword{"password", "password", ofPassword}, false},
	{"", "şifre", keyword{"password", "password", ofPassword}, false},
	{"", "Şifre", keyword{"password", "password", ofPassword}, false},
	{"m", "ật khẩu", keyword{"password", "password", ofPassword}, false},
	{"parol", "ă", keyword{"password", "password", ofPassword}, false},
	{"", "пароль", keyword{"password", "password", ofPassword}, false},
	{"", "Пароль", keyword{"password", "password", ofPassword}, false},
	{"", "κωδικός", keyword{"password", "password", ofPassword}, false},
	{"", "Κωδικός", keyword{"password", "password", ofPassword}, false},
	{"", "סיסמה", keyword{"password", "password", ofPassword}, false},
	{"", "كلمة المرور", keyword{"password", "password", ofPassword}, false},
	{"", "كلمة السر", keyword{"password", "password", ofPassword}, false},
	{"", "密码", keyword{"password", "password", ofPassword}, true},
	{"", "密碼", keyword{"password", "password", ofPassword}, true},
	{"", "口令", keyword{"password", "password", ofPassword}, true},
	{"", "パスワード", keyword{"password", "password", ofPassword}, true},
	{"", "暗証番号", keyword{"password", "password", ofPassword}, true},
	{"", "비밀번호", keyword{"password", "password", ofPassword}, true},
	{"", "암호", keyword{"password", "password", ofPassword}, true},
	{"schl", "üssel", keyword{"key", "api-key", ofKey}, false}, {"cl", "é", keyword{"key", "api-key", ofKey}, false},
	{"", "ключ", keyword{"key", "api-key", ofKey}, false},
	{"", "токен", keyword{"key", "api-key", ofKey}, false}, {"", "密钥", keyword{"key", "api-key", ofKey}, true},
	{"", "令牌", keyword{"key", "api-key", ofKey}, true}, {"", "キー", keyword{"key", "api-key", ofKey}, true},
	{"", "トークン", keyword{"key", "api-key", ofKey}, true}, {"", "토큰", keyword{"key", "api-key", ofKey}, true},
	{"", "키", keyword{"key", "api-key", ofKey}, true},
	{"Has", "ło", keyword{"password", "password", ofPassword}, false},
	{"L", "ösenord", keyword{"password", "password", ofPassword}, false},
	{"Jelsz", "ó", keyword{"password", "password", ofPassword}, false},
	{"Parol", "ă", keyword{"password", "password", ofPassword}, false},
	{"", "парола", keyword{"password", "password", ofPassword}, false},
	{"", "Парола", keyword{"password", "password", ofPassword}, false},
	{"", "лозинка", keyword{"password", "password", ofPassword}, false},
	{"", "Лозинка", keyword{"password", "password", ofPassword}, false},
	{"", "пасворд", keyword{"password", "password", ofPassword}, false},
	{"", "құпиясөз", keyword{"password", "password", ofPassword}, false},
	{"slapta", "žodis", keyword{"password", "password", ofPassword}, false},
	{"", "पासवर्ड", keyword{"password", "password", ofPassword}, false},
	{"", "পাসওয়ার্ড", keyword{"password", "password", ofPassword}, false},
	{"", "رمز عبور", keyword{"password", "password", ofPassword}, false},
	{"", "گذرواژه", keyword{"password", "password", ofPassword}, false},
	{"", "پاسورڈ", keyword{"password", "password", ofPassword}, false},
	{"", "ծածկագիր", keyword{"password", "password", ofPassword}, false},
	{"", "პაროლი", keyword{"password", "password", ofPassword}, false},
	{"", "รหัสผ่าน", keyword{"password", "password", ofPassword}, true},
	{"", "Ключ", keyword{"key", "api-key", ofKey}, false},
	{"", "Токен", keyword{"key", "api-key", ofKey}, false},
	{"Schl", "üssel", keyword{"key", "api-key", ofKey}, false}, {"Cl", "é", keyword{"key", "api-key", ofKey}, false},
	{"c", "ódigo", keyword{"code", "secret", ofNumber}, false},
	{"t", "ürcode", keyword{"code", "secret", ofNumber}, false},
	{"", "код", keyword{"code", "secret", ofNumber}, false},
	{"", "пин", keyword{"code", "secret", ofNumber}, false},
	{"", "비번", keyword{"password", "password", ofPassword}, true},
}

var foreignWordsBy = index{first: [256]uint16{195: 2, 196: 7, 197: 1, 206: 10, 208: 8, 209: 25, 210: 41, 213: 48, 215: 12, 216: 45, 217: 13, 218: 46, 224: 43, 225: 6, 227: 18, 228: 27, 229: 15, 230: 19, 235: 20, 236: 21, 237: 30}, next: []uint16{0, 4, 3, 22, 5, 32, 49, 35, 9, 24, 11, 0, 0, 14, 47, 16, 17, 26, 28, 0, 59, 0, 23, 33, 36, 0, 0, 0, 29, 0, 31, 0, 42, 34, 53, 0, 37, 38, 39, 40, 51, 0, 0, 44, 50, 0, 0, 0, 0, 0, 0, 52, 57, 54, 55, 56, 0, 58, 0, 0}}

var placeholders = []string{"example", "changeme", "change-me", "change_me", "placeholder", "xxxx", "redacted", "****", "....", "…", "replace-me", "replace_me", "replaceme", "•••", "_here", "-here", "your-token", "your-key", "..."}

var placeholdersBy = index{first: [256]uint16{42: 8, 45: 16, 46: 9, 95: 15, 99: 2, 101: 1, 112: 5, 114: 7, 120: 6, 121: 17, 226: 10}, next: []uint16{0, 0, 3, 4, 0, 0, 0, 11, 0, 19, 14, 12, 13, 0, 0, 0, 0, 18, 0, 0}}

// letterPairs[a] has the bit b for the common pair ab, both counted from 'a'.
var letterPairs = [26]uint32{0: 0x3febd6e, 1: 0x1124912, 2: 0x1a4d91, 3: 0x16411b, 4: 0x1eeb87f, 5: 0xa4131, 6: 0x26991, 7: 0x1a4111, 8: 0x20ef87f, 9: 0x144010, 10: 0x40110, 11: 0x13ccd39, 12: 0x114d113, 13: 0x13c657d, 14: 0x7efd6e, 15: 0x1ec911, 16: 0x100000, 17: 0x13e7d7d, 18: 0x15cdd95, 19: 0x15ec191, 20: 0xeb97f, 21: 0x4111, 22: 0x46981, 23: 0x80000, 24: 0x4c010, 25: 0x10}

const (
	noValues          = "prompt true false null none nil undefined string"
	placeholderStarts = "your- your_ my- my_ your dummy insert- insert_ todo enter- put- some- fake sample replace_with replace-with change-this change_this"
	referenceStarts   = "${ $( %( $env: {{ < [redacted: http:// https:// ./ ../ ~/"
	codeStarts        = "process.env os. env."
	technicalWords    = "argon2 bcrypt scrypt pbkdf2 sha1 sha-1 sha2 sha-2 sha3 sha-3 sha5 sha-5 md5 aes base64 base-64 base32 base58 oauth rfc utf utf-8 ed25519 rsa hs256 hs512 rs256 es256 http ipv4 ipv6 x509 x.509 pkcs v1 v2 v3 int uint float string varchar char 2fa totp sso kms k8s i18n s3: ec2 log4 python node java ssh- ecdsa-"
	copulas           = "is was are were to as = : -> => → it's its that's est es ist lautet è é jest to er är on je é: ist: это — auf zu à naar til på na from"
	intensifiers      = "now still just currently actually this here set changed following the called again back only not-so a an new probably"
	otherVerbs        = "must should can cannot may and or but not if when from in by with without via than file path"
	codeNouns         = "door access security unlock alarm backup recovery gate entry safe verification time confirmation lock locker vault bike garage building lobby keypad pairing login sms 2fa mfa porte portail puerta porta tür garagentor tresor alarmanlage token двери домофона"
	plainWords        = "the and for are with from that this these those have has was were not but its our your their his her they which when where what will would could should into than then also been does did phrase mnemonic words seed per any all"
	joinedParticles   = "はがを是为為：:=＝ の이가는은「『“\"'`（(，,设置改成到"
	otherPasses       = "by com tres sur over under encom render sub multi one two first second third single low high band all full depth color shadow post pre per last final next test did must will can to build compute graphics shader"
	publicKeys        = "publickey publickeys pubkey cachekey primarykey foreignkey partitionkey sortkey objectkey s3key idempotencykey publishablekey sitekey hostkey lookupkey rowkey groupkey dedupkey dedupekey projectkey verifykey issuekey mapkey indexkey recvkeys sendkeys receivekeys exportkeys listkeys storagekey restorekeys routingkey i18nkey contentkey hashkey"
	authSchemes       = "bearer basic token digest apikey api-token negotiate ssws splunk geniekey genieKey bot key oauth sso-key sharedkey hmac jwt"
	wordsForSecrets   = "public private password passwd pass pwd pw PASSWORD PASS secret token mypassword abc123 access_token your_token"
	queryNames        = "code tempauth hmac"
	sessionNames      = "session sessionid session_id sessid phpsessid jsessionid sid"
	cookieNames       = "session sid auth jwt token key"
	gettingVerbs      = "get check verify validate reset has find is read load fetch use"
	calls             = "wifibegin jwtsign jwtencode createhmac createcipheriv createdecipheriv encrypt decrypt fernet aesnew hashpw hmacnew auth login connect connection credentials credential authenticate signin authentication sequelize userpass usernamepassword client pdo wallet credentialsnew secretnew secretstringnew"
	linkParts         = "key token secret magic reset reset-password password_reset password-reset recover verify confirm activate activation invite invitation invites join magic-link passwordless one-time unsubscribe"
	secretPaths       = "hc-ping.com/ hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/ discord.com/api/webhooks/ discordapp.com/api/webhooks/ hooks.zapier.com/hooks/catch/ outlook.office.com/webhook/ api.telegram.org/bot hook.eu1.make.com/ hook.us1.make.com/ hook.integromat.com/ ntfy.sh/tk_ g.alchemy.com/v2/ infura.io/v3/"
	cryptSchemes      = "PLAIN SSHA SHA SMD5 SSHA256 SSHA512 8 9 sha1 pbkdf2-sha256 pbkdf2-sha512 1 2a 2b 2y 5 6 y 7 apr1 argon2i argon2id scrypt gy"
	publishedCards    = "4242424242424242 4111111111111111 5555555555554444 378282246310005 4000056655665556 5105105105105100 4012888888881881"
	publishedAccounts = "DE89370400440532013000 GB29NWBK60161331926819 GB82WEST12345698765432 GB33BUKB20201555555555 FR1420041010050500013M02606 FR7630006000011234567890189 CH9300762011623852957 NL91ABNA0417164300 ES9121000418450200051332 AT611904300234573201 BE68539007547034 IT60X0542811101000000123456"
	tokenMarks        = ".atlasv1. _mmk"
	saysOfPasswords   = "required optional invalid incorrect wrong missing hidden correct expired hashed encrypted masked disabled enabled unknown prompted default string protected plaintext generated number object"
	tokenWords        = "live prod key token secret pat sk api auth access"
	wlanWords         = "wlan wifi wireless hostednetwork PRAGMA"
)
