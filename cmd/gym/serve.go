package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/agent"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/resources/blackjack"
	"github.com/lensgo/lens/gym/resources/codeexec"
	"github.com/lensgo/lens/gym/resources/equivalence"
	"github.com/lensgo/lens/gym/resources/mcqa"
	"github.com/lensgo/lens/gym/resources/multireward"
	"github.com/lensgo/lens/gym/resources/multistep"
	"github.com/lensgo/lens/gym/resources/multiturn"
	"github.com/lensgo/lens/gym/resources/sessionstate"
	"github.com/lensgo/lens/gym/resources/singletoolcall"
)

// builders lists the implementations that this binary can serve, by the name that stands in the configuration.
var builders = map[string]fleet.Builder{
	"simple_agent":                  agent.Build,
	"gymnasium_agent":               agent.BuildGymnasium,
	"legacy_agent":                  agent.BuildRelay,
	"openai_model":                  model.BuildOpenAI,
	"vllm_model":                    model.BuildVLLM,
	"anthropic_model":               model.BuildAnthropic,
	"synthetic_model":               model.BuildSynthetic,
	"example_single_tool_call":      singletoolcall.Build,
	"example_multi_step":            multistep.Build,
	"example_session_state_mgmt":    sessionstate.Build,
	"example_multi_turn_gymnasium":  multiturn.Build,
	"blackjack":                     blackjack.Build,
	"mcqa":                          mcqa.Build,
	"code_exec":                     codeexec.Build,
	"example_tool_call_multireward": multireward.Build,
	"equivalence_llm_judge":         equivalence.Build,
}

// newServe is the hidden verb behind every server process of a run.
func newServe() *cobra.Command {
	o := fleet.ServeOptions{Builders: builders}
	cmd := &cobra.Command{
		Use:    "serve",
		Short:  "Serve one instance of a configuration (started by a run, not by hand)",
		Hidden: true,
		Args:   cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return fleet.Serve(ctx, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Instance, "instance", "", "the instance to serve (default: $"+fleet.EnvConfigPath+")")
	f.IntVar(&o.ConfigFD, "config-fd", 0, "descriptor to read the configuration from (default: $"+fleet.EnvConfigDict+")")
	f.IntVar(&o.ListenerFD, "listener-fd", 0, "descriptor of the bound listener (default: bind the configured port)")
	f.IntVar(&o.LifelineFD, "lifeline-fd", 0, "descriptor whose end of file stops this server")
	return cmd
}

// newGuard is the hidden verb around every server of another program.
func newGuard() *cobra.Command {
	var o fleet.GuardOptions
	cmd := &cobra.Command{
		Use:    "guard -- COMMAND [ARGUMENT...]",
		Short:  "Run a program, and end it with everything that it started (started by a run, not by hand)",
		Hidden: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage(cmd, errors.New("give the program to run after --"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			o.Command = args
			code, err := fleet.Guard(ctx, o)
			if err == nil && code != 0 {
				return cli.ExitStatus(code)
			}
			return err
		},
	}
	cmd.Flags().IntVar(&o.LifelineFD, "lifeline-fd", 0, "descriptor whose end of file stops the program")
	cmd.Flags().BoolVar(&o.Interrupt, "interrupt", false, "ask the program to end with SIGINT instead of SIGTERM")
	return cmd
}
