package demo

// weatherTool is the one tool of example_single_tool_call.
var weatherTool = tool{
	Type:        "function",
	Name:        "get_weather",
	Description: "Tells what the weather is like in a city.",
	Parameters: object(properties{
		"city": {Type: "string", Description: "The city, as the user writes it."},
	}),
	Strict: true,
}

// weatherTask asks for the weather in one city, which stands in quotes.
type weatherTask struct {
	city string
	text string
}

var weatherTasks = [tasksPerSet]weatherTask{
	{"San Francisco", "What is the weather like in 'San Francisco' right now?"},
	{"Oslo", "I'm packing for a long weekend in 'Oslo'. Do I need a warm coat?"},
	{"Nairobi", "Is it raining in 'Nairobi'? My sister has just landed there."},
	{"St. John's", "The ferry leaves from 'St. John's' at noon. Please check whether the weather is kind."},
	{"Kyoto", "Before I book the garden tour: how does it look outside in 'Kyoto'?"},
	{"Buenos Aires", "Could you look up the weather in 'Buenos Aires' for me?"},
	{"Reykjavík", "My grandmother asks every morning whether it's windy in 'Reykjavík'. What do I tell her today?"},
	{"Cairo", "We film on the roof this afternoon. How is the sky over 'Cairo'?"},
	{"New Delhi", "Give me the weather in 'New Delhi' in a sentence."},
	{"Lisbon", "Should I hang out the washing? I live in 'Lisbon'."},
	{"Anchorage", "The runners' club wants to know if 'Anchorage' is cold enough for gloves."},
	{"Montréal", "Is it humid in 'Montréal' at the moment?"},
	{"Wellington", "Umbrella or sunglasses? I'm about to leave the hotel in 'Wellington'."},
	{"Ulaanbaatar", "I have never been to 'Ulaanbaatar'. Tell me what the weather is doing there."},
	{"Cape Town", "Our flight might be diverted to 'Cape Town', so please see what the weather is up to."},
	{"Zürich", "The football match is in 'Zürich' tonight. Will the spectators get wet?"},
	{"Lima", "People say that 'Lima' hardly ever sees rain. Is that so today?"},
	{"Hanoi", "What should I wear for a walk around the lake in 'Hanoi'?"},
	{"Tromsø", "Can we hope for northern lights over 'Tromsø', or is the sky covered?"},
	{"Honolulu", "Cheer me up: what's the weather in 'Honolulu'?"},
}

// weatherRow is a row of example_single_tool_call: every answer scores, so it needs nothing beside the question.
type weatherRow struct {
	Params params   `json:"responses_create_params"`
	Agent  agentRef `json:"agent_ref"`
}

func weatherRows(agent agentRef) []any {
	rows := make([]any, 0, len(weatherTasks))
	for _, t := range weatherTasks {
		rows = append(rows, weatherRow{
			Params: params{
				Input: []message{{"user", t.text}},
				Tools: []tool{weatherTool},
			},
			Agent: agent,
		})
	}
	return rows
}
