package knowledge

import "testing"

// TestAWishIsFoundBehindWhatNobodySees: marks of direction, blanks without width, widths and emphasis hide no request to keep a line.
func TestAWishIsFoundBehindWhatNobodySees(t *testing.T) {
	for _, prompt := range []string{
		"\u200fتذكر: المنفذ 7001", "\u202bتذكر: المنفذ 7001\u202c", "\u2067تذكر: المنفذ 7001\u2069", "\u200bRemember: port 7001", "\ufeffRemember: port 7001",
		"\u2060Remember: port 7001", "Re\u00admember: port 7001", "Remember\u200b: port 7001", "\u200eRemember：port 7001", "**Remember:** port 7001", "__Remember:__ port 7001",
		"> \u200bRemember: port 7001", "- \u200e**Remember:** port 7001", "@docs/a.md Remember: port 7001", "[Image #2] Remember: port 7001", "[Pasted text #1 +12 lines] @b.go Remember: port 7001",
		"📌 Remember: port 7001", "⚠️ **Remember:** port 7001", "→ Remember : port 7001", "1. **Remember**: port 7001", "«Remember»: port 7001", "\"Remember: port 7001\"", "(Remember: port 7001)", "„Merke dir: port 7001“", "「記憶して：port 7001」", "“Remember:” port 7001", "✅ - Remember: port 7001",
		"**记住**：port 7001", "【记住】port 7001", "【覚えておいて】：port 7001", "- [ ] Remember: port 7001", "「覚えて」：port 7001", "- **기억해**: port 7001", "**Запомни：** port 7001", "Запомни : port 7001", "_Merke dir_ ： port 7001", "📌 «Recuerda»: port 7001",
		"**Lembre-se**：port 7001", "> Souviens-toi : port 7001",
	} {
		if found := Directives(prompt, ""); len(found) != 1 || found[0].Text != "port 7001" && found[0].Text != "المنفذ 7001" {
			t.Errorf("%q: %+v", prompt, found)
		}
	}
	for _, prompt := range []string{"Remember: می\u200cخواهم", "Remember: क्\u200dष"} {
		if found := Directives(prompt, ""); len(found) != 1 || "Remember: "+found[0].Text != prompt {
			t.Errorf("%q: %+v", prompt, found)
		}
	}
	if found := Directives("mail me @home: Remember", ""); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}
