package main

// chapter is a part of the overview.
type chapter struct {
	title    string
	commands []command
}

// chapters lists all commands.
func chapters() []chapter {
	return []chapter{
		{"Crawl", []command{runCommand(), demoCommand()}},
		{"Ask", []command{searchCommand(), statusCommand(), lagCommand(), whyCommand(), textCommand(), ranksCommand()}},
		{"Act", []command{recheckCommand(), seedsCommand(), rebuildCommand(), replayCommand(), deadLettersCommand(), putBackCommand()}},
		{"Steer", []command{
			listRulesCommand("rules"), listRulesCommand("rules list"), addRuleCommand(), removeRuleCommand(), testRuleCommand(), importCommand(), proposeCommand(),
			pauseCommand(), resumeCommand(), forgetCommand(),
		}},
		{"Look inside", []command{urlsCommand(), hostsCommand(), patternsCommand(), tryCommand(), topicsCommand(), topicListCommand(), catCommand(), asyncapiCommand(), registerCommand(), aclsCommand()}},
		{"On a cluster", []command{provisionCommand(), consumeCommand(), serveCommand()}},
		{"Write files", append(tapCommands(), jsonTapCommand(), searchTapCommand(), tapsCommand(), snapshotCommand(), graphCommand())},
		{"About", []command{versionCommand(), completionCommand(), manCommand()}},
	}
}

func commands() []command {
	var out []command
	for _, c := range chapters() {
		out = append(out, c.commands...)
	}
	return out
}
