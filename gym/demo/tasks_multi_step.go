package demo

// synonymTools are the tools of example_multi_step: one that is called for each word, and one for all results together.
var synonymTools = []tool{
	{
		Type:        "function",
		Name:        "get_synonym_value",
		Description: "Returns the value of one synonym.",
		Parameters: object(properties{
			"synonym": {Type: "string", Description: "The synonym, spelled as in the text."},
		}),
		Strict: true,
	},
	{
		Type:        "function",
		Name:        "extract_synonym_values",
		Description: "Takes the values of all synonyms, in the order of the text. Call it once, at the end.",
		Parameters: object(properties{
			"synonym_values": {
				Type:        "array",
				Description: "The values that get_synonym_value returned.",
				Items:       &property{Type: "integer"},
			},
		}),
		Strict: true,
	},
}

const synonymInstructions = "You help an editor to weigh words. Look up the value of every synonym in quotes, one after " +
	"the other and in the order of the text, then hand in all values at once. Never look up the word that is to be replaced."

// synonymTask gives a worn word and the synonyms for it, which stand in quotes in the text. The worn word is the
// minefield: a list of values that holds its own is a sign that the instructions were not read.
type synonymTask struct {
	worn     string
	synonyms []string
	text     string
}

var synonymTasks = [tasksPerSet]synonymTask{
	{"hot", []string{"scorching", "torrid"},
		"The travel page says that the desert is hot. I'd rather have 'scorching' in the headline and 'torrid' in the first line."},
	{"big", []string{"vast", "immense", "colossal"},
		"Everything in chapter nine is big. Let's vary it: 'vast' for the hall, 'immense' for the table and 'colossal' for the bill."},
	{"happy", []string{"cheerful", "elated"},
		"Our hero is happy on every page. Make him 'cheerful' at breakfast and 'elated' by the evening."},
	{"dry", []string{"arid", "parched", "barren"},
		"Replace dry in the poem about the plateau. First comes 'arid', then 'parched', and the last verse ends on 'barren'."},
	{"old", []string{"ancient"},
		"The museum label just reads old. One better word will do: 'ancient'."},
	{"fast", []string{"swift", "rapid", "brisk", "nimble"},
		"The race report uses fast far too often. In order of appearance I suggest 'swift', 'rapid', 'brisk' and, for the winner, 'nimble'."},
	{"quiet", []string{"hushed", "silent"},
		"What about the library scene? It shouldn't be quiet but 'hushed', and after closing time 'silent'."},
	{"smart", []string{"clever", "astute", "shrewd"},
		"She is called smart by three different people. Give the teacher 'clever', the lawyer 'astute' and the merchant 'shrewd'."},
	{"sad", []string{"gloomy", "mournful"},
		"Sad songs deserve better adjectives: the ballad is 'gloomy' and the hymn is 'mournful'."},
	{"cold", []string{"frosty", "icy", "wintry"},
		"The forecast keeps saying cold. For the coast take 'frosty', for the hills 'icy', and for the pass 'wintry'."},
	{"rich", []string{"wealthy", "affluent"},
		"In the obituary, don't say rich. The family prefers 'wealthy' for the grandfather and 'affluent' for the town."},
	{"brave", []string{"daring", "fearless", "gallant", "plucky"},
		"The four firefighters can't all be brave. Line them up as 'daring', 'fearless', 'gallant' and 'plucky'."},
	{"strange", []string{"peculiar", "uncanny"},
		"Two strange noises in one paragraph! The first one is 'peculiar' and the second one is 'uncanny'."},
	{"easy", []string{"simple", "effortless", "painless"},
		"The manual promises that everything is easy. Set-up is 'simple', daily use is 'effortless', and removal, we hope, 'painless'."},
	{"rough", []string{"coarse", "jagged"},
		"Rough is too vague for a geology book. The sandstone is 'coarse', the lava is 'jagged'."},
	{"angry", []string{"furious", "irate", "livid"},
		"The complaints desk gets angry letters. Sort them as 'furious', 'irate' and 'livid', in this order."},
	{"thin", []string{"slender", "gaunt"},
		"The two scarecrows shouldn't both be thin: let the left one be 'slender' and the right one 'gaunt'."},
	{"bright", []string{"radiant", "dazzling", "vivid", "luminous", "gleaming"},
		"Five lamps, five words, and none of them is bright: 'radiant', 'dazzling', 'vivid', 'luminous', 'gleaming'."},
	{"tired", []string{"weary", "drowsy"},
		"After the night shift nobody is merely tired. The nurse is 'weary' and the driver is 'drowsy'."},
	{"nice", []string{"pleasant", "charming", "delightful"},
		"My aunt's review says nice three times. What if the host were 'pleasant', the garden 'charming' and the cake 'delightful'?"},
}

// synonymRow is a row of example_multi_step.
type synonymRow struct {
	ID             int      `json:"id"`
	Synonyms       []string `json:"expected_synonyms"`
	Values         []int    `json:"expected_synonym_values"`
	MinefieldLabel string   `json:"minefield_label"`
	MinefieldValue int      `json:"minefield_label_value"`
	Params         params   `json:"responses_create_params"`
	Agent          agentRef `json:"agent_ref"`
}

func synonymRows(agent agentRef) []any {
	one := false
	rows := make([]any, 0, len(synonymTasks))
	for i, t := range synonymTasks {
		values := make([]int, len(t.synonyms))
		for j, s := range t.synonyms {
			values[j] = wordValue(s)
		}
		rows = append(rows, synonymRow{
			ID:             i,
			Synonyms:       t.synonyms,
			Values:         values,
			MinefieldLabel: t.worn,
			MinefieldValue: wordValue(t.worn),
			Params: params{
				Input:    []message{{"developer", synonymInstructions}, {"user", t.text}},
				Tools:    synonymTools,
				Parallel: &one,
			},
			Agent: agent,
		})
	}
	return rows
}

// wordValue is the value of a word in example_multi_step: the sum of its code points.
func wordValue(word string) int {
	sum := 0
	for _, r := range word {
		sum += int(r)
	}
	return sum
}
