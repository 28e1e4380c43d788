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
// [Load] reads one or more files, later files winning key by key, checks everything that can be checked before a
// process is started, and answers with a [Graph] or with one [*Error] that lists every problem with file, line and
// column. [Graph.Encode] writes what goes to a server process and [Decode] reads it there.
//
// What is understood: mappings merge deeply, lists and scalars are replaced; YAML anchors and merge keys; and
// ${name}, alone or inside a longer text, for a scalar at the top level (\${ is a literal ${). The directives of the
// full grammar (config_paths inside a file, ${a.b}, ${oc.env:...}, _inherit_from, _copy, _delete_key) are refused with
// their place, and a value ??? that nothing has replaced is reported: none of them is ever taken for a plain text.
//
// Scalars follow YAML 1.2: yes, no, on and off are texts.
//
// A Graph may be read by many goroutines. Setting Host and Port of an instance, and Encode, need it alone.
package config
