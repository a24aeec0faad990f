package dashboard

import "strings"

// settings is the data of the page with the settings.
type settings struct {
	Groups  []settingGroup
	Changed int // not at their default
}

// settingGroup is the settings whose keys begin alike.
type settingGroup struct {
	Title    string
	Settings []Setting
}

// groupTitles are the headings, by the first part of the keys.
var groupTitles = map[string]string{
	"store": "Store", "agent": "Agent", "hooks": "Hooks", "tokens": "Tokens", "dashboard": "Dashboard",
	"backup": "Backups", "maintenance": "Maintenance", "distill": "Model",
}

func (p *pages) settings(*visit) page {
	var data settings
	if p.Settings == nil {
		return page{"settings", "Settings", data}
	}
	for _, one := range p.Settings() {
		part, _, _ := strings.Cut(one.Key, ".")
		title, is := groupTitles[part]
		if !is {
			title = "All"
		}
		if len(data.Groups) == 0 || data.Groups[len(data.Groups)-1].Title != title {
			data.Groups = append(data.Groups, settingGroup{Title: title})
		}
		last := &data.Groups[len(data.Groups)-1]
		last.Settings = append(last.Settings, one)
		if one.Origin != "" {
			data.Changed++
		}
	}
	return page{"settings", "Settings", data}
}
