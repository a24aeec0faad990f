package secrets

import "strings"

// number recognises the token of a Telegram bot and a card number at i.
func number(s string, i int) (kind string, end int) {
	end = i
	for end < len(s) && isDigit(s[end]) && end-i < 20 {
		end++
	}
	if n := end - i; n >= 8 && n <= 10 && end < len(s) && s[end] == ':' {
		if to := spanOf(s, end+1, wide); to-end-1 == 35 {
			return Token, to
		}
	}
	return CardNumber, cardNumber(s, i)
}

// cardNumber is the end of the number of a payment card at i, or i: 13 to 19
// digits, alone or in groups, that begin as an issuer's do and whose check digit
// is right. Numbers that issuers publish for tests are none.
func cardNumber(s string, i int) int {
	if s[i] < '2' || s[i] > '6' || i > 0 && (sets[s[i-1]]&dotted != 0 || s[i-1] == ':' && i > 1 && isDigit(s[i-2])) {
		return i
	}
	digits, end := groupedDigits(s, i)
	if end < len(s) && (isAlnum(s[end]) || s[end] == '_' || (s[end] == '.' || s[end] == '-') && end+1 < len(s) && isAlnum(s[end+1])) {
		return i
	}
	if !isIssued(digits) || !luhn(digits) || has(publishedCards, digits) {
		return i
	}
	return end
}

// groupedDigits are up to 20 digits at i, alone or in groups of four and six.
func groupedDigits(s string, i int) (digits string, end int) {
	number := make([]byte, 0, 20)
	end, group, separator := i, 0, byte(0)
	for ; end < len(s) && len(number) < cap(number); end++ {
		b := s[end]
		if isDigit(b) {
			number = append(number, b)
			group++
			continue
		}
		if b != ' ' && b != '-' || separator == 0 && group != 4 || separator != 0 && b != separator || end+1 >= len(s) || !isDigit(s[end+1]) {
			break
		}
		if group != 4 && group != 6 {
			return "", i
		}
		separator, group = b, 0
	}
	return string(number), end
}

func isIssued(number string) bool {
	two := window(number, 2)
	switch len(number) {
	case 15:
		return two == "34" || two == "37"
	case 16:
		return number[0] == '4' || two >= "51" && two <= "55" || two >= "22" && two <= "27" || strings.HasPrefix(number, "6011") || two == "65" || two == "35"
	case 14:
		return two == "36" || two == "38" || two == "30"
	}
	return false
}

// luhn reports that the check digit of a card number is right.
func luhn(number string) bool {
	sum := 0
	for i := range number {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// accountNumber is the end of an IBAN at i, or i: two capitals, check digits that are
// right, 11 to 30 digits and capitals, alone or in groups of four. Those that banks
// publish as examples are none.
func accountNumber(s string, i int) int {
	if i+15 > len(s) || s[i+1] < 'A' || s[i+1] > 'Z' || !isDigit(s[i+2]) || !isDigit(s[i+3]) || i > 0 && sets[s[i-1]]&(any64|dot) != 0 && s[i-1] != '=' {
		return i
	}
	number := make([]byte, 0, 34)
	end := i
	for at := i; at < len(s) && len(number) < cap(number); at++ {
		if s[at] == ' ' && len(number)%4 == 0 && end == at {
			continue
		}
		if sets[s[at]]&caps == 0 {
			break
		}
		number = append(number, s[at])
		end = at + 1
	}
	if len(number) < 15 || end < len(s) && sets[s[end]]&wide != 0 || digitsIn(string(number)) < 10 || has(publishedAccounts, string(number)) || !iban(number) {
		return i
	}
	return end
}

// iban reports that the check digits of an account number are right.
func iban(number []byte) bool {
	sum := 0
	for i := range number {
		b := number[(i+4)%len(number)]
		if isDigit(b) {
			sum = (sum*10 + int(b-'0')) % 97
		} else {
			sum = (sum*100 + int(b-'A') + 10) % 97
		}
	}
	return sum == 1
}
