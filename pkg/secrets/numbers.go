package secrets

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
	if s[i] < '2' || s[i] > '6' || i > 0 && sets[s[i-1]]&dotted != 0 {
		return i
	}
	digits, end := groupedDigits(s, i)
	if end < len(s) && sets[s[end]]&wide != 0 || !isIssued(digits) || !luhn(digits) || has(publishedCards, digits) {
		return i
	}
	return end
}

// groupedDigits are the 14 to 20 digits at i, alone or in groups of four and six, and their
// end.
func groupedDigits(s string, i int) (string, int) {
	number := make([]byte, 0, 20)
	end := i
	for ; end < len(s) && len(number) < cap(number); end++ {
		if n := len(number); isDigit(s[end]) {
			number = append(number, s[end])
		} else if isGroup := n == 4 || end > i+n && (n%4 == 0 || n == 10); s[end] != ' ' && s[end] != '-' || !isGroup || end+1 >= len(s) || !isDigit(s[end+1]) {
			break
		}
	}
	if len(number) < 14 {
		return "", i // cheaper than to look at them
	}
	return string(number), end
}

// isIssued reports that a number is of the length that its first digits ask for.
func isIssued(number string) bool {
	issuers := ""
	switch len(number) {
	case 14:
		issuers = "30 36 38"
	case 15:
		issuers = "34 37"
	case 16:
		issuers = "4 51 52 53 54 55 22 23 24 25 26 27 6011 65 35"
	}
	return startOf(issuers, number) != ""
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
	if i+15 > len(s) || !isDigit(s[i+2]) || !isDigit(s[i+3]) || i > 0 && sets[s[i-1]]&(any64|dot) != 0 && s[i-1] != '=' {
		return i
	}
	number := make([]byte, 0, 34)
	end := i
	for at := i; at < len(s) && len(number) < cap(number); at++ {
		if sets[s[at]]&caps != 0 {
			number = append(number, s[at])
			end = at + 1
		} else if s[at] != ' ' || len(number)%4 != 0 {
			break
		}
	}
	if end < len(s) && sets[s[end]]&wide != 0 || !iban(string(number)) {
		return i
	}
	return end
}

// iban reports that the check digits of an account number are right, and that no bank
// publishes it as an example.
func iban(number string) bool {
	if len(number) < 15 || digitsIn(number) < 10 || has(publishedAccounts, number) {
		return false
	}
	sum := 0
	for _, b := range []byte(number[4:] + number[:4]) {
		if isDigit(b) {
			sum = (sum*10 + int(b-'0')) % 97
		} else {
			sum = (sum*100 + int(b-'A') + 10) % 97
		}
	}
	return sum == 1
}
