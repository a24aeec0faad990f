package dashboard

func init() { says["its tables"] = userInTables }
