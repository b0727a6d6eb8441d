import assert from "node:assert/strict"
import type { RepositoryChecks } from "@switchyard/core/work/gate/schema"
import type { VerificationResult } from "@switchyard/core/work/verification/schema"
import { ended } from "../hostile/agent.ts"
import { openDepot } from "../runner/runner-process.ts"
import { type Container, makeRepository, startIn } from "./container.ts"

interface Language {
  /** Debian packages that the image needs to verify the work. */
  packages: string[]
  /** Files of a repository with a failing test and a dependency from a registry. */
  files: Record<string, string>
  /** File that the agent corrects, and its text. */
  fix: [path: string, text: string]
  /** Commands set by a person, instead of the detected ones. */
  commands?: RepositoryChecks
}

const LANGUAGES: Record<string, Language> = {
  c: {
    packages: [],
    files: {
      Makefile: "test: add\n\t./add\nadd: add.c test.c\n\t$(CC) -Wall -o $@ $^\n",
      "add.c": "int add(int a, int b) { return a - b; }\n",
      "test.c": "int add(int, int);\nint main(void) { return add(2, 3) != 5; }\n",
    },
    fix: ["add.c", "int add(int a, int b) { return a + b; }\n"],
  },
  python: {
    packages: [],
    files: {
      "requirements.txt": "pytest==8.3.4\n",
      "calc.py": "def add(a, b):\n    return a - b\n",
      "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n",
    },
    fix: ["calc.py", "def add(a, b):\n    return a + b\n"],
  },
  go: {
    packages: ["golang-go"],
    files: {
      "go.mod": "module example.org/calc\n\ngo 1.19\n\nrequire github.com/google/uuid v1.6.0\n",
      "go.sum": [
        "github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=",
        "github.com/google/uuid v1.6.0/go.mod h1:TIyPZe4MgqvfeYDBFedMoGGpEw/LqOeaOT+nhxU+yHo=\n",
      ].join("\n"),
      "calc.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n",
      "calc_test.go": `package calc

import (
	"testing"

	"github.com/google/uuid"
)

func TestAdd(t *testing.T) {
	if got := Add(2, 3); got != 5 {
		t.Fatalf("%s: got %d", uuid.NewString(), got)
	}
}
`,
    },
    fix: ["calc.go", "package calc\n\nfunc Add(a, b int) int { return a + b }\n"],
  },
  java: {
    packages: ["maven", "default-jdk-headless"],
    files: {
      "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>calc</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.13.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
</project>
`,
      "src/main/java/Calc.java": "class Calc {\n  static int add(int a, int b) {\n    return a - b;\n  }\n}\n",
      "src/test/java/CalcTest.java": `import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CalcTest {
  @Test
  public void adds() {
    assertEquals(5, Calc.add(2, 3));
  }
}
`,
    },
    fix: ["src/main/java/Calc.java", "class Calc {\n  static int add(int a, int b) {\n    return a + b;\n  }\n}\n"],
    // The detected commands need a sandbox, which a container doesn't have.
    commands: { build: "mvn -B -DskipTests package", test: "mvn -B test" },
  },
  rust: {
    // Debian's default Rust is from 2022, and downloads the registry's index from a code host.
    packages: ["cargo-web"],
    files: {
      "Cargo.toml": `[package]
name = "calc"
version = "0.1.0"
edition = "2021"

[dependencies]
itoa = "=1.0.11"
`,
      "Cargo.lock": `version = 3

[[package]]
name = "calc"
version = "0.1.0"
dependencies = ["itoa"]

[[package]]
name = "itoa"
version = "1.0.11"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "49f1f14873335454500d59611f1cf4a4b0f786f9ac11f4312a78e4cf2566695b"
`,
      "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n",
      "tests/add.rs": '#[test]\nfn adds() {\n    assert_eq!(itoa::Buffer::new().format(calc::add(2, 3)), "5");\n}\n',
    },
    fix: ["src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n"],
  },
}

/** Registries that the repositories need. Hosts listed in a setting may also be mirrors in a private network. */
const REGISTRIES = [
  ...["pypi.org", "files.pythonhosted.org", "proxy.golang.org", "sum.golang.org"],
  ...["index.crates.io", "static.crates.io"],
]

/** Value of a stage's `RUNNER_PACKAGES` for all of these languages. */
export const ALL_PACKAGES = Object.values(LANGUAGES).flatMap(({ packages }) => packages)

/**
 * Makes the mock agent fix a repository of each language. If the image has the language's packages, the work must be
 * verified; if not, the verdict must name a missing package.
 */
export async function tryLanguages(container: Container, packages: string[]): Promise<void> {
  for (const [name, language] of Object.entries(LANGUAGES)) {
    const isThere = language.packages.every((each) => packages.includes(each))
    const { result, text } = await verify(container, language)
    assert.equal(result, isThere ? "passed" : "not_possible", `${name}: ${text}`)
    if (!isThere) assert.match(text, /add \S+ to RUNNER_PACKAGES/, `${name}: ${text}`)
    console.log(`  ${name}: ${result}`)
  }
}

async function verify(
  container: Container,
  { files, fix, commands }: Language,
): Promise<{ result: VerificationResult; text: string }> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const repository = makeRepository(depot, files)
  const runner = startIn(container, depot, {}, { SWITCHYARD_CHECK_HOSTS: REGISTRIES.join() })
  const verification = { allow_test_changes: false, max_attempts: 1, ...(commands && { commands }) }
  const about = { verification, consent: true }
  runner.run(await depot.create({ files: Object.fromEntries([fix]) }, repository.path, about))
  await ended(depot, 0)
  const attempt = (await depot.events()).findLast((event) => event.type === "verification_attempt")
  runner.child.stdin?.end()
  await runner.exited
  assert(attempt, runner.stderr())
  return { result: attempt.result, text: JSON.stringify(attempt.issues) + JSON.stringify(attempt.verdict) }
}
