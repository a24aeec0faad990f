package briefing_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// In the most used languages, a request to remember is stored without the words of the request,
// and is found by words of its content.
func TestARequestToRememberIsKeptAndFoundInManyLanguages(t *testing.T) {
	languages := map[string]struct{ typed, kept, asked string }{ // a project has each
		"Chinese":               {"请记住：支付网关监听7001端口", "支付网关监听7001端口", "支付网关"},
		"Chinese, no colon":     {"记住我们的主分支叫做trunk", "我们的主分支叫做trunk", "主分支"},
		"Hindi":                 {"याद रखें कि भुगतान सेवा पोर्ट 7001 पर चलती है", "भुगतान सेवा पोर्ट 7001 पर चलती है", "भुगतान सेवा"},
		"Spanish":               {"Recuerda que la pasarela escucha en el puerto 7001", "la pasarela escucha en el puerto 7001", "pasarela puerto"},
		"French":                {"Souviens-toi que la passerelle écoute sur le port 7001", "la passerelle écoute sur le port 7001", "passerelle port"},
		"Arabic":                {"تذكر أن بوابة الدفع تستمع على المنفذ 7001", "بوابة الدفع تستمع على المنفذ 7001", "بوابة الدفع"},
		"Bengali":               {"মনে রাখবেন যে পেমেন্ট গেটওয়ে পোর্ট ৭০০১ ব্যবহার করে", "পেমেন্ট গেটওয়ে পোর্ট ৭০০১ ব্যবহার করে", "পেমেন্ট গেটওয়ে"},
		"Portuguese":            {"Lembre-se de que o gateway escuta na porta 7001", "o gateway escuta na porta 7001", "gateway porta"},
		"Russian":               {"Запомни, что шлюз слушает порт 7001", "шлюз слушает порт 7001", "шлюз порт"},
		"Urdu":                  {"یاد رکھیں کہ ادائیگی کا گیٹ وے پورٹ 7001 پر چلتا ہے", "ادائیگی کا گیٹ وے پورٹ 7001 پر چلتا ہے", "ادائیگی گیٹ"},
		"German":                {"Merk dir: das Gateway lauscht auf Port 7001", "das Gateway lauscht auf Port 7001", "Gateway Port"},
		"Indonesian":            {"Ingat bahwa gateway berjalan di porta 7001", "gateway berjalan di porta 7001", "gateway porta"},
		"Japanese":              {"決済ゲートウェイのポートは7001だと覚えておいてください。", "決済ゲートウェイのポートは7001だ", "決済ゲートウェイ"},
		"Japanese at the start": {"覚えておいて：決済ゲートウェイのポートは7001", "決済ゲートウェイのポートは7001", "ゲートウェイのポート"},
		"Korean":                {"기억해줘: 결제 게이트웨이는 7001 포트를 사용한다", "결제 게이트웨이는 7001 포트를 사용한다", "게이트웨이 포트"},
		"a Chinese rule":        {"帮我看看登录。我们从不使用npm，总是用pnpm。", "我们从不使用npm，总是用pnpm。", "使用npm"},
		"a Japanese rule":       {"コミットの前に必ずテストを実行する", "コミットの前に必ずテストを実行する", "テストを実行"},
	}
	a, _, s := daemontest.New(t)
	for name, c := range languages {
		for _, e := range daemontest.Ended("in "+name, c.typed, "rename the flag") {
			e.Project = memory.Project{Key: name, Name: name, Root: "/" + name}
			daemontest.Put(t, s, e)
		}
	}
	daemontest.Ingested(t, a)
	for name, c := range languages {
		found := musttest.Get(a.Answers.Find(t.Context(), daemonapi.FindParams{Project: name, Text: c.asked, Limit: 3}))(t)
		if len(found) == 0 || found[0].Memory.Content != c.kept {
			t.Errorf("%s: found %+v, want %q", name, found, c.kept)
		}
	}
	daemontest.Ingested(t, a, daemontest.Ended("s1", "必须现在就修好登录吗？", "这次必须跳过测试", "覚えていますか")...)
	if text := daemontest.StartOf(t, a, "next"); strings.Contains(text, "rules") {
		t.Errorf("a question and a wish for once are injected as rules: %q", text)
	}
}
