// Package config reads the YAML of a Gym run into a checked graph of server instances.
//
// A run is described by top-level entries, one per server instance:
//
//	policy_model:                    # the instance's name, and the address other servers use
//	  responses_api_models:          # its type
//	    openai_model:                # its implementation: exactly one
//	      entrypoint: app.py
//	      openai_base_url: ${policy_base_url}
//	weather_agent:
//	  responses_api_agents:
//	    simple_agent:
//	      entrypoint: app.py
//	      model_server: {type: responses_api_models, name: policy_model}
//	      resources_server: {type: resources_servers, name: weather}
//
// [Load] reads one or more files, [Source.Load] also assets by name, env.yaml and what stands in the environment. Both check
// everything that can be checked before a process is started, and answer with a [Graph] or with one [*Error] that lists
// every problem with file, line and column. [Graph.Encode] writes what goes to a server process and [Decode] reads it there.
//
// # Merging
//
// From the first to the last, and the last wins: the files that a file names in its config_paths, the file, files in the
// order in which they were given, env.yaml, overrides. Mappings merge deeply, lists and scalars are replaced; YAML anchors
// and merge keys work. A file that is named in several config_paths is merged once, which [Graph.Notes] says. Relative
// names are looked for in search folders, in those of NEMO_GYM_EXTRA_ROOTS, in the current folder, and among the
// configurations that the program carries ([Builtin]).
//
// Overrides have the grammar of Hydra: key=value, +key=value, ++key=value, ~key (see [ParseOverride]).
//
// # Directives
//
// In the merged tree, an entry may take another one over:
//
//	my_server:
//	  _inherit_from: generic_server  # what stands here is laid over it, and generic_server goes; _copy leaves it
//	  _delete_key: "judge, prompts"  # keys of it that are not wanted
//
// ${inherit_from:a.b} and ${copy:a.b} do the same where a value stands. Sources may have directives of their own.
//
// # References
//
// ${a.b} is the value at a dotted path, a list's element by [0]; alone it keeps its type, inside of a text it must be a
// scalar. ${.x} begins at the mapping around the value. ${oc.env:VARIABLE,default} is a text from the environment. \${ is a
// literal ${. A value ??? is one that the user has to give: every one that is left is reported with its path and with an
// override that sets it. Anything else between ${ and } is refused and never taken for a plain text.
//
// # Secrets
//
// [Graph.Redacted] is the copy to print. Messages never show values of overrides or defaults.
//
// Scalars follow YAML 1.2: yes, no, on and off are texts.
//
// A Graph may be read by many goroutines. Setting Host and Port of an instance, Encode, YAML and Redacted need it alone.
package config
