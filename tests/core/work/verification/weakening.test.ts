import type { ProjectFiles } from "@switchyard/core/work/gate/check"
import { findTampering, weakenedTests } from "@switchyard/core/work/verification/tampering"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

type Files = Record<string, string>
type Changes = Record<string, string | null>

function project(files: Files): ProjectFiles {
  return { has: (path) => Object.hasOwn(files, path), text: (path) => files[path], paths: () => Object.keys(files) }
}

function compare(before: Files, changes: Changes) {
  const after = Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter((file): file is [string, string] => file[1] !== null),
  )
  const changed = Object.keys(changes).map((path) => ({
    path,
    before: before[path] ?? null,
    after: after[path] ?? null,
  }))
  return { base: project(before), head: project(after), changed }
}

const JS = `import { expect, it, vi } from "vitest"
import { add } from "./sum.js"

it("adds", () => {
  expect(add(1, 2)).toBe(3)
  expect(add(0, 0)).toBe(0)
})

it("adds what is negative", () => {
  expect(add(-1, -2)).toBe(-3)
})
`
const NODE = 'test("adds", () => assert.equal(add(1, 2), 3))\n'
const PY = `def test_adds():
    assert add(1, 2) == 3
    assert add(0, 0) == 0


def test_negative():
    with pytest.raises(ValueError):
        add(-1, 0)
`
const UNITTEST = `class Sums(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)
`
const GO = `func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("no")
	}
}
`
const RUST = `#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}
`
const JAVA = `class SumTest {
  @Test
  void adds() {
    assertEquals(3, Sum.add(1, 2));
  }
}
`
const RUBY = `describe Sum do
  it "adds" do
    expect(Sum.add(1, 2)).to eq(3)
  end
end
`
const PHP = `class SumTest extends TestCase {
  public function testAdds(): void { $this->assertSame(3, add(1, 2)); }
}
`

const lies: [string, string, string, (text: string) => string | null][] = [
  ["a matcher that is looser", "sum.test.ts", JS, (text) => text.replace("toBe(3)", "toBeTruthy()")],
  ["a matcher that asks for anything", "sum.test.ts", JS, (text) => text.replace("toBe(3)", "toBeDefined()")],
  ["a matcher that is turned round", "sum.test.ts", JS, (text) => text.replace("toBe(3)", "not.toBe(4)")],
  ["an asymmetric matcher", "sum.test.ts", JS, (text) => text.replace("toBe(3)", "toEqual(expect.any(Number))")],
  ["one assertion less", "sum.test.ts", JS, (text) => text.replace("  expect(add(0, 0)).toBe(0)\n", "")],
  ["an assertion in a comment", "sum.test.ts", JS, (text) => text.replace("  expect(add(0", "  // expect(add(0")],
  [
    "assertions in a long comment",
    "sum.test.ts",
    JS,
    (text) => text.replace("  expect(add(0, 0)).toBe(0)", "/* expect(add(0, 0)).toBe(0) */"),
  ],
  [
    "an assertion of a constant",
    "sum.test.ts",
    JS,
    (text) => text.replace("expect(add(1, 2)).toBe(3)", "expect(true).toBe(true)"),
  ],
  [
    "an assertion of itself",
    "sum.test.ts",
    JS,
    (text) => text.replace("expect(add(1, 2)).toBe(3)", "expect(add).toBe(add)"),
  ],
  ["a case that is gone", "sum.test.ts", JS, (text) => text.slice(0, text.indexOf('it("adds what'))],
  [
    "a case that another one replaces",
    "sum.test.ts",
    JS,
    (text) => text.replace('"adds what is negative"', '"is fine"').replace("toBe(-3)", "toBe(3)"),
  ],
  ["a file that is empty", "sum.test.ts", JS, () => ""],
  ["a file that is gone", "sum.test.ts", JS, () => null],
  [
    "a return before the assertions",
    "sum.test.ts",
    JS,
    (text) => text.replace("  expect(add(1", "  return\n  expect(add(1"),
  ],
  [
    "a condition that never holds",
    "sum.test.ts",
    JS,
    (text) => text.replace("  expect(add(1, 2)).toBe(3)", "  if (false) {\n  expect(add(1, 2)).toBe(3) }"),
  ],
  [
    "an error that is swallowed",
    "sum.test.ts",
    JS,
    (text) => text.replace("expect(add(1, 2)).toBe(3)", "try { expect(add(1, 2)).toBe(3) } catch {}"),
  ],
  [
    "a mock of the module under test",
    "sum.test.ts",
    JS,
    (text) => text.replace("\nit(", '\nvi.mock("./sum.js", () => ({ add: () => 3 }))\nit('),
  ],
  ["a mock of Node", "sum.test.js", NODE, (text) => `mock.module("./sum.js", { namedExports: {} })\n${text}`],
  ["a skip", "sum.test.ts", JS, (text) => text.replace("it(", "it.skip(")],
  ["a skip of a group", "sum.test.ts", JS, (text) => `describe.skip("sums", () => {\n${text}})\n`],
  ["a test that may fail", "sum.test.ts", JS, (text) => text.replace("it(", "it.fails(")],
  ["a test crossed out", "sum.test.ts", JS, (text) => text.replace("it(", "xit(")],
  ["a test left for later", "sum.test.ts", JS, (text) => text.replace(/it\("adds", [^}]*\}\)/, 'it.todo("adds")')],
  [
    "a skip by an option over lines",
    "sum.test.js",
    NODE,
    (text) => text.replace('"adds", (', '"adds", {\n  skip: process.env.CI,\n}, ('),
  ],
  ["a test that runs alone", "sum.test.ts", JS, (text) => `${text}it.only("is", () => {})\n`],
  ["a skip from within", "sum.test.js", NODE, (text) => text.replace("() =>", "(t) => t.skip() ||")],
  [
    "assert.ok for assert.equal",
    "sum.test.js",
    NODE,
    (text) => text.replace("assert.equal(add(1, 2), 3)", "assert.ok(add(1, 2))"),
  ],

  ["pytest: a bare assert", "test_sum.py", PY, (text) => text.replace("add(1, 2) == 3", "add(1, 2)")],
  ["pytest: assert True", "test_sum.py", PY, (text) => text.replace("assert add(1, 2) == 3", "assert True")],
  ["pytest: one assertion less", "test_sum.py", PY, (text) => text.replace("    assert add(0, 0) == 0\n", "")],
  [
    "pytest: an assertion in a comment",
    "test_sum.py",
    PY,
    (text) => text.replace("    assert add(0", "    # assert add(0"),
  ],
  ["pytest: a case that is gone", "test_sum.py", PY, (text) => text.slice(0, text.indexOf("def test_neg"))],
  ["pytest: a case that nothing collects", "test_sum.py", PY, (text) => text.replace("def test_neg", "def neg")],
  [
    "pytest: an early return",
    "test_sum.py",
    PY,
    (text) => text.replace("    assert add(1", "    return\n    assert add(1"),
  ],
  [
    "pytest: an exception that is expected no more",
    "test_sum.py",
    PY,
    (text) => text.replace("with pytest.raises(ValueError):\n        ", ""),
  ],
  [
    "pytest: an exception that passes",
    "test_sum.py",
    PY,
    (text) =>
      text.replace(
        "    assert add(0, 0) == 0",
        "    try:\n        assert add(0, 0) == 0\n    except AssertionError: pass",
      ),
  ],
  ["pytest: skipif", "test_sum.py", PY, (text) => `@pytest.mark.skipif(True, reason="no")\n${text}`],
  ["pytest: a mark of the module", "test_sum.py", PY, (text) => `pytestmark = pytest.mark.skip\n${text}`],
  ["pytest: importorskip", "test_sum.py", PY, (text) => `pytest.importorskip("nothing")\n${text}`],
  [
    "unittest: assertTrue",
    "test_sum.py",
    UNITTEST,
    (text) => text.replace("assertEqual(add(1, 2), 3)", "assertTrue(add(1, 2))"),
  ],
  [
    "unittest: assertIsNotNone",
    "test_sum.py",
    UNITTEST,
    (text) => text.replace("assertEqual(add(1, 2), 3)", "assertIsNotNone(add(1, 2))"),
  ],
  [
    "unittest: SkipTest",
    "test_sum.py",
    UNITTEST,
    (text) => text.replace("        self.", "        raise unittest.SkipTest()\n        self."),
  ],

  ["Go: a log in place of a failure", "sum_test.go", GO, (text) => text.replace("t.Fatal", "t.Log")],
  ["Go: a skip", "sum_test.go", GO, (text) => text.replace("\tif", '\tt.Skip("later")\n\tif')],
  ["Go: an early return", "sum_test.go", GO, (text) => text.replace("\tif", "\treturn\n\tif")],
  ["Go: a test that is no test", "sum_test.go", GO, (text) => text.replace("TestAdd", "checkAdd")],
  ["Rust: assert!", "tests/sum.rs", RUST, (text) => text.replace("assert_eq!(add(1, 2), 3)", "assert!(add(1, 2) > 0)")],
  ["Rust: ignored", "tests/sum.rs", RUST, (text) => text.replace("fn adds", "#[ignore]\nfn adds")],
  ["Rust: no test any more", "tests/sum.rs", RUST, (text) => text.replace("#[test]\n", "")],
  [
    "JUnit: assertNotNull",
    "SumTest.java",
    JAVA,
    (text) => text.replace("assertEquals(3, Sum.add(1, 2))", "assertNotNull(Sum.add(1, 2))"),
  ],
  ["JUnit: disabled", "SumTest.java", JAVA, (text) => text.replace("@Test", "@Disabled @Test")],
  [
    "JUnit: an assumption",
    "SumTest.java",
    JAVA,
    (text) => text.replace("    assert", "    assumeTrue(false);\n    assert"),
  ],
  ["JUnit: no test any more", "SumTest.java", JAVA, (text) => text.replace("  @Test\n", "")],
  ["RSpec: be_truthy", "spec/sum_spec.rb", RUBY, (text) => text.replace("eq(3)", "be_truthy")],
  ["RSpec: xit", "spec/sum_spec.rb", RUBY, (text) => text.replace('it "', 'xit "')],
  ["RSpec: pending", "spec/sum_spec.rb", RUBY, (text) => text.replace("    expect", '    pending "later"\n    expect')],
  ["RSpec: skip", "spec/sum_spec.rb", RUBY, (text) => text.replace("    expect", "    skip\n    expect")],
  ["PHPUnit: assertNotNull", "tests/SumTest.php", PHP, (text) => text.replace("assertSame(3, ", "assertNotNull(")],
  [
    "PHPUnit: incomplete",
    "tests/SumTest.php",
    PHP,
    (text) => text.replace("{ $this", "{ $this->markTestIncomplete(); $this"),
  ],
]

const truths: [string, string, string, (text: string) => string][] = [
  ["a case more", "sum.test.ts", JS, (text) => `${text}it("more", () => expect(add(1, 1)).toBe(2))\n`],
  ["an assertion more", "sum.test.ts", JS, (text) => text.replace("toBe(3)", "toBe(3)\n  expect(add(2, 2)).toBe(4)")],
  [
    "a stricter matcher",
    "sum.test.ts",
    JS.replace("toBe(3)", "toBeDefined()"),
    (text) => text.replace("toBeDefined()", "toBe(3)"),
  ],
  ["a case under another name", "sum.test.ts", JS, (text) => text.replace('"adds"', '"adds two numbers"')],
  [
    "cases in another order",
    "sum.test.ts",
    JS,
    (text) => text.replace(/(it\("adds",[^}]*\}\)\n)\n(it[^}]*\}\)\n)/, "$2\n$1"),
  ],
  ["another value, as strict", "sum.test.ts", JS, (text) => text.replace("toBe(3)", "toBe(4)")],
  [
    "another layout",
    "sum.test.ts",
    JS,
    (text) => text.replace("expect(add(1, 2)).toBe(3)", "expect(\n    add(1, 2),\n  ).toBe(3)"),
  ],
  [
    "a comment",
    "sum.test.ts",
    JS,
    (text) => `/** it.skip("adds") is a way to leave it out. */\n${text}`.replace("it.skip", "leaving"),
  ],
  ["a pattern of files", "sum.test.ts", JS, (text) => text.replace("add(0, 0)", 'add("src/*.ts", "lib/**")')],
  [
    "data with a field named like an option",
    "sum.test.js",
    NODE,
    (text) => text.replace("add(1, 2)", 'add({ todo: "milk", skip: 1 })'),
  ],
  [
    "a test that isn't skipped any more",
    "sum.test.ts",
    JS.replace("it(", "it.skip("),
    (text) => text.replace("it.skip(", "it("),
  ],
  ["a mock of a package", "sum.test.ts", JS, (text) => text.replace("\nit(", '\nvi.mock("axios")\nit(')],
  ["pytest: a case more", "test_sum.py", PY, (text) => `${text}\n\ndef test_more():\n    assert add(1, 1) == 2\n`],
  ["Go: a case more", "sum_test.go", GO, (text) => `${text}\nfunc TestMore(t *testing.T) { t.Error("no") }\n`],
]

describe("tests that accept more than before", () => {
  it.each(lies)("are found: %s", (_, path, before, change) => {
    expect(weakenedTests(compare({ [path]: before }, { [path]: change(before) }))).not.toEqual([])
  })

  it.each(truths)("are none with %s", (_, path, before, change) => {
    expect(change(before)).not.toBe(before)
    expect(weakenedTests(compare({ [path]: before }, { [path]: change(before) }))).toEqual([])
  })

  it("are none if cases move to another file of tests, and some if it is no test", () => {
    expect(weakenedTests(compare({ "sum.test.ts": JS }, { "sum.test.ts": null, "tests/sum.test.ts": JS }))).toEqual([])
    const gone = compare({ "sum.test.ts": JS }, { "sum.test.ts": null, "sum.checks.ts": JS })
    expect(weakenedTests(gone)).toEqual([
      'The test "adds" in sum.test.ts is gone. Keep it.',
      'The test "adds what is negative" in sum.test.ts is gone. Keep it.',
    ])
  })

  it("are found whichever of many cases loses an assertion, and in none if only names or order change", () => {
    const counts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 })
    const text = (cases: number[], at = -1) =>
      cases
        .map((count, index) => {
          const lines = Array.from(
            { length: index === at ? count - 1 : count },
            (_, n) => `  expect(f(${index}, ${n})).toBe(${n})`,
          )
          return `it("case ${index}", () => {\n${lines.join("\n")}\n})\n`
        })
        .join("\n")
    fc.assert(
      fc.property(counts, fc.nat(), (cases, chosen) => {
        const at = chosen % cases.length
        const change = (after: string) => weakenedTests(compare({ "a.test.ts": text(cases) }, { "a.test.ts": after }))
        expect(change(text(cases, at))).toHaveLength(1)
        expect(change(text(cases).replace(`"case ${at}"`, '"another name"'))).toEqual([])
      }),
    )
  })
})

describe("commands that end well whatever they find", () => {
  const manifest = (scripts: object) => ({ "package.json": JSON.stringify({ scripts }) })

  it.each<[string, Files, Files]>([
    ["a first command whose failure is swallowed", {}, manifest({ test: "node --test || true" })],
    ["a first command that takes no tests for a pass", {}, manifest({ test: "vitest run --passWithNoTests" })],
    ["a first command that exits by itself", {}, manifest({ test: "node --test; exit 0" })],
    ["a first linter that never fails", {}, manifest({ lint: "ruff check . --exit-zero" })],
    ["a first target that ignores failures", {}, { Makefile: "test:\n\t-pytest\n" }],
    [
      "a script that the test command runs",
      manifest({ test: "npm run unit", unit: "node --test" }),
      manifest({ test: "npm run unit", unit: "node --test || true" }),
    ],
    [
      "a target that the tests need",
      { Makefile: "test: unit\n\nunit:\n\tpytest\n" },
      { Makefile: "test: unit\n\nunit:\n\ttrue\n" },
    ],
    [
      "settings of the linter in the manifest",
      { "package.json": JSON.stringify({ scripts: { lint: "eslint ." }, eslintConfig: { rules: { a: 2 } } }) },
      { "package.json": JSON.stringify({ scripts: { lint: "eslint ." }, eslintConfig: { rules: { a: 0 } } }) },
    ],
  ])("are found: %s", (_, before, after) => {
    expect(findTampering(compare(before, after))).not.toEqual([])
  })

  it("are the project's own choice if they were there before", () => {
    const own = manifest({ test: "node --test || true" })
    expect(findTampering(compare(own, { "sum.js": "" }))).toEqual([])
  })
})
