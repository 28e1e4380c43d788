package demo

// counterTools are the tools of example_session_state_mgmt.
var counterTools = []tool{
	{
		Type:        "function",
		Name:        "increment_counter",
		Description: "Adds to the counter of this session.",
		Parameters: object(properties{
			"count": {Type: "integer", Description: "How much to add; a negative number takes away."},
		}),
		Strict: true,
	},
	{
		Type:        "function",
		Name:        "get_counter_value",
		Description: "Reads the counter of this session.",
		Parameters:  object(nil),
		Strict:      true,
	},
}

// counterTask starts a counter at a number that the text does not tell, and changes it by the integers of the text.
type counterTask struct {
	initial int
	add     []int
	text    string
}

var counterTasks = [tasksPerSet]counterTask{
	{3, []int{1, 2},
		"Add 1 to the counter, then 2, and tell me where it stands."},
	{0, []int{12, 7, 5},
		"Three crates came in this morning: 12 apples, 7 pears and 5 plums. Count every piece and read me the total."},
	{10, []int{4},
		"The bus already has passengers. At the market another 4 get on. How many are on board?"},
	{6, []int{4, 5},
		"Please add 4 and then 5. What does the counter say now?"},
	{100, []int{-30, 15},
		"Start from what is in the jar, count -30 for the party and 15 for the new bag, then read the counter."},
	{21, []int{8, 13},
		"The choir grows: 8 altos joined in spring and 13 basses in autumn. What's the head count?"},
	{1, []int{1, 1, 1},
		"Somebody rang the bell: add 1. And again: add 1. Once more: add 1. Now read it, please."},
	{50, []int{25, 25},
		"We sold 25 tickets at the door and 25 more on the phone; put both on the counter and report it."},
	{2, []int{9, 3, 6, 4},
		"Rounds of the game, in points: 9, 3, 6, 4. Keep the score on the counter and tell me the result."},
	{17, []int{16},
		"A single delivery of 16 boxes goes on top of the stock. What's the stock now?"},
	{40, []int{-5, -7},
		"Two leaks today! Take the readings as they are, -5 and -7, enter both, and give me the level."},
	{8, []int{64, 32},
		"Enter 64. Enter 32. Read the counter back to me."},
	{5, []int{11, 22, 33},
		"My pedometer lost its sum. It's 11 steps to the gate, 22 to the shop and 33 home, on top of what the counter has."},
	{0, []int{7, 70, 700},
		"Let's see if big steps work as well: first 7, then 70, then 700. What do we get?"},
	{33, []int{2, 19},
		"In the night shift 2 calls came in, in the day shift 19. Update the call counter and read it out."},
	{12, []int{6, 6, -3},
		"The hens laid 6 eggs on Monday, 6 on Tuesday, and the fox accounts for -3. How many eggs are there?"},
	{90, []int{10},
		"We're close to a round number: add 10 and confirm it."},
	{14, []int{5, 28},
		"Library returns: 5 novels (left desk), 28 comics (right desk). Add them up on the counter and tell me its value."},
	{7, []int{3, 8, 2, 9, 1},
		"Five students report their laps: 3, 8, 2, 9 and 1. Put each of them on the counter, in this order, and read it."},
	{60, []int{45, -20},
		"The car park takes in 45 cars before the concert and lets -20 out during the break. What does the display show?"},
}

// counterRow is a row of example_session_state_mgmt.
type counterRow struct {
	Params   params   `json:"responses_create_params"`
	Initial  int      `json:"initial_count"`
	Expected int      `json:"expected_count"`
	Agent    agentRef `json:"agent_ref"`
}

func counterRows(agent agentRef) []any {
	rows := make([]any, 0, len(counterTasks))
	for _, t := range counterTasks {
		expected := t.initial
		for _, n := range t.add {
			expected += n
		}
		rows = append(rows, counterRow{
			Params: params{
				Input: []message{{"user", t.text}},
				Tools: counterTools,
			},
			Initial:  t.initial,
			Expected: expected,
			Agent:    agent,
		})
	}
	return rows
}
