// Package lenstest tests what a library says about itself: that its groups resolve, that its call sites emit when their
// group is on and nothing when it is off, and that the spans are the right ones.
//
// # What a new group needs
//
//	func TestStep(t *testing.T) {
//		lenstest.AssertResolves(t, mylib.Step)
//		lenstest.AssertPresets(t, mylib.Step, "per_step") // in these, and in no other
//		lenstest.AssertGated(t, mylib.Step, func(ctx context.Context) {
//			_ = mylib.Train(ctx, 1)
//		})
//	}
//
// # Looking at spans
//
// [Default] lends a test the default registry, which is where libraries register; everything that the test does to it is
// undone afterwards. What spans there were is compared as indented text:
//
//	func TestTrain(t *testing.T) {
//		rec := lenstest.Default(t)
//		lens.SetSpec("per_step")
//		_ = mylib.Train(t.Context(), 2)
//		rec.AssertTree(t, `
//			mylib.train steps=2
//			  mylib.step
//			  mylib.step
//		`, "steps")
//	}
//
// A library that takes a *lens.Registry gets one of the test's own from [New]; such tests may run in parallel.
//
// # Exporters
//
// [TestExporter] is a suite for exporters of one's own: what an exporter must do so that spans are not lost, and nothing
// hangs, behind it.
//
// # Guarantees
//
//   - A test that uses the default registry cannot be parallel, since that registry is one for the process: Default, and
//     AssertGated for a group of it, call t.Setenv, with which package testing refuses it at once.
//   - What a test does to the default registry is undone when it ends: libraries, spec or pin, provider, logger, propagator.
//     A handle that was made stays, since a variable may hold it. OpenTelemetry's own globals are not touched.
//   - Groups are off until the test switches them on, and every span of a group that is on is recorded, save where the
//     caller's trace is not sampled.
//   - A [Recorder] is safe for concurrent use; assertions take a testing.TB, so benchmarks and fuzz targets have them too.
//   - In a build with lens_off it compiles and there is nothing to record: [AssertGated] checks just that, the other
//     assertions about groups, presets and trees pass, and [Recorder.One] and [Recorder.Wait] skip the rest of a test.
package lenstest
