package config

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed assets
var embedded embed.FS

// Builtin holds the configurations that this program carries, laid out as in a clone of NeMo Gym:
// resources_servers/NAME/configs/NAME.yaml and so on.
func Builtin() fs.FS {
	sub, err := fs.Sub(embedded, "assets")
	if err != nil {
		panic(err) // the folder is in the binary
	}
	return sub
}

// BuiltinData is a data set that this program carries beside its configurations, by the name that they give it:
// resources_servers/NAME/data/example.jsonl.
func BuiltinData(name string) (data []byte, ok bool) {
	name = filepath.ToSlash(filepath.Clean(name))
	if path.Ext(name) != ".jsonl" {
		return nil, false
	}
	data, err := fs.ReadFile(Builtin(), name)
	return data, err == nil
}

// AssetKind is what kind of configuration a name stands for; its text is the flag of the command line.
type AssetKind string

// The kinds.
const (
	Benchmark       AssetKind = "benchmark"        // benchmarks/NAME/config.yaml
	Environment     AssetKind = "environment"      // environments/NAME/config.yaml
	ResourcesServer AssetKind = "resources-server" // resources_servers/NAME/configs/NAME.yaml
	ModelType       AssetKind = "model-type"       // responses_api_models/NAME/configs/NAME.yaml
)

// AssetKinds are all kinds.
var AssetKinds = []AssetKind{Benchmark, Environment, ResourcesServer, ModelType}

// folder holds the assets of a kind.
func (k AssetKind) folder() string {
	switch k {
	case Benchmark:
		return "benchmarks"
	case Environment:
		return "environments"
	case ModelType:
		return TypeModel
	}
	return TypeResources
}

// byFlavor tells whether the files of this kind stand in configs, the one without a flavor under the asset's name.
func (k AssetKind) byFlavor() bool { return k == ResourcesServer || k == ModelType }

// Asset is a configuration by name: NAME, or NAME/FLAVOR for another file beside it.
type Asset struct {
	Kind AssetKind `json:"kind"`
	Name string    `json:"name"`
}

// path is the relative name of the asset's file.
func (a Asset) path() string {
	name, flavor, _ := strings.Cut(a.Name, "/")
	if a.Kind.byFlavor() {
		return path.Join(a.Kind.folder(), name, "configs", cmp.Or(flavor, name)+".yaml")
	}
	return path.Join(a.Kind.folder(), name, cmp.Or(flavor, "config")+".yaml")
}

// missing says that there is no such asset.
func (a Asset) missing(roots []root) string {
	var names []string
	other := ""
	for _, found := range assets(roots) {
		switch {
		case found.Kind == a.Kind:
			names = append(names, found.Name)
		case found.Name == a.Name:
			other = fmt.Sprintf("; there is --%s %s", found.Kind, found.Name)
		}
	}
	return fmt.Sprintf("--%s %s: there is no %s%s%s%s", a.Kind, a.Name, a.path(), lookedIn(roots, a.path()), suggest(a.Name, names), other)
}

// FoundAsset is an asset that is there.
type FoundAsset struct {
	Asset
	Path string `json:"path"` // its file; of one that this program carries, after "builtin:"
}

// Assets lists what can be selected by name, sorted by kind and name, from the places that [Source.Paths] describes. Of two
// with the same name the one that would be taken is listed.
func Assets(searchDirs []string) []FoundAsset { return assets(roots(searchDirs)) }

func assets(roots []root) []FoundAsset {
	var list []FoundAsset
	seen := map[Asset]bool{}
	for _, r := range roots {
		fsys := r.fsys
		if fsys == nil {
			fsys = os.DirFS(cmp.Or(r.dir, "."))
		}
		for _, kind := range AssetKinds {
			for _, a := range assetsIn(fsys, kind) {
				if !seen[a] {
					seen[a] = true
					list = append(list, FoundAsset{Asset: a, Path: r.join(filepath.FromSlash(a.path()))})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b FoundAsset) int {
		return cmp.Or(cmp.Compare(slices.Index(AssetKinds, a.Kind), slices.Index(AssetKinds, b.Kind)), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// assetsIn lists one kind in one place, as far as it can be read. Beside a benchmark's or an environment's config.yaml there
// may be files of any kind: they can be selected and are not listed.
func assetsIn(fsys fs.FS, kind AssetKind) (list []Asset) {
	pattern := kind.folder() + "/*/config.yaml"
	if kind.byFlavor() {
		pattern = kind.folder() + "/*/configs/*.yaml"
	}
	files, _ := fs.Glob(fsys, pattern) // the pattern is good
	for _, file := range files {
		parts := strings.Split(file, "/")
		a := Asset{Kind: kind, Name: parts[1]}
		if flavor := strings.TrimSuffix(parts[len(parts)-1], ".yaml"); kind.byFlavor() && flavor != parts[1] {
			a.Name += "/" + flavor
		}
		list = append(list, a)
	}
	return list
}
