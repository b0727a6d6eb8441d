import { scriptFile } from "../module.ts"
import type { Project, ProjectFile } from "../project.ts"
import { capitalised, quoted, source } from "../source.ts"
import { type Collection, type CollectionFace, storeFiles } from "./collection.ts"

/** A collection on the command line: four commands on a JSON file in the folder where they are run. */
export const collectionCli: CollectionFace = {
  feature: ({ plural }) => `Keeps its ${plural} in a JSON file between runs`,
  files: (collection, project) => [...storeFiles(collection, project), ...cliFiles(collection, project)],
  usage: ({ plural, mark, examples }, { language }) => {
    const run = language === "python" ? "python3 cli.py" : `node cli.${language === "typescript" ? "ts" : "js"}`
    const lines = [`add ${JSON.stringify(examples[0])}`, "list", `${mark.verb} 1`, "remove 1"]
    const commands = lines.map((line) => `${run} ${line}`).join("\n")
    return `${"```"}sh\n${commands}\n${"```"}\n\nThe ${plural} are kept in \`${plural}.json\` in the current folder.`
  },
}

function cliFiles(collection: Collection, { language }: Project): ProjectFile[] {
  const purpose = "The command: reads its file, does what it is told, writes the file."
  const tests = "Runs the command as a user does."
  if (language === "python") {
    return [
      { path: "cli.py", purpose, content: pythonCli(collection) },
      { path: "test_cli.py", purpose: tests, content: pythonTest(collection) },
    ]
  }
  return [
    scriptFile(language, "cli.ts", purpose, cli(collection)),
    scriptFile(language, "cli.test.ts", tests, cliTest(collection)),
  ]
}

function cli({ title, noun, plural, field, mark }: Collection): string {
  const [Noun, Plural] = [capitalised(noun), capitalised(plural)]
  const sign = mark.kind === "flag" ? `${noun}.${mark.field} ? "[x]" : "[ ]"` : `String(${noun}.${mark.field})`
  return source`
    import { existsSync, readFileSync, writeFileSync } from "node:fs"
    ‹import type { ${Noun}, ${Plural} } from "./${plural}.ts"
    ›import { create${Plural} } from "./${plural}.ts"

    const file = "${plural}.json"

    const usage = \`${title}

    Usage: node cli.ts add <${field}>
           node cli.ts list
           node cli.ts ${mark.verb} <id>
           node cli.ts remove <id>\`

    process.exitCode = main(process.argv.slice(2))

    function main([command, ...rest]‹: string[]›)‹: number› {
      try {
        const ${plural} = create${Plural}(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [])
        const lines = run(${plural}, command, rest.join(" "))
        writeFileSync(file, \`\${JSON.stringify(${plural}.list(), null, 2)}\n\`)
        console.log(lines.join("\n"))
        return 0
      } catch (error) {
        console.error(error instanceof Error ? error.message : error)
        return 1
      }
    }

    /** Does what the command says, and returns the lines to print. */
    function run(${plural}‹: ${Plural}›, command‹: string | undefined›, rest‹: string›)‹: string[]› {
      switch (command) {
        case "add":
          return [line(${plural}.add(rest))]
        case "list":
          return ${plural}.list().length > 0 ? ${plural}.list().map(line) : ["No ${plural} yet."]
        case "${mark.verb}": {
          const ${noun} = ${plural}.${mark.verb}(rest)
          if (!${noun}) throw new Error(\`There is no ${noun} "\${rest}".\`)
          return [line(${noun})]
        }
        case "remove":
          if (!${plural}.remove(rest)) throw new Error(\`There is no ${noun} "\${rest}".\`)
          return [\`Removed \${rest}.\`]
        default:
          throw new Error(usage)
      }
    }

    function line(${noun}‹: ${Noun}›)‹: string› {
      return \`\${${noun}.id}  \${${sign}}  \${${noun}.${field}}\`
    }
  `
}

function cliTest({ noun, plural, field, examples, mark }: Collection): string {
  return source`
    import assert from "node:assert/strict"
    import { spawnSync } from "node:child_process"
    import { mkdtempSync, readFileSync, rmSync } from "node:fs"
    import { tmpdir } from "node:os"
    import { join } from "node:path"
    import { after, test } from "node:test"
    import { fileURLToPath } from "node:url"

    const cli = fileURLToPath(new URL("./cli.ts", import.meta.url))
    const folder = mkdtempSync(join(tmpdir(), "${plural}-"))
    after(() => rmSync(folder, { recursive: true }))

    function run(...args‹: string[]›) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { cwd: folder, encoding: "utf8" })
      return { status, output: stdout + stderr }
    }

    function saved() {
      return JSON.parse(readFileSync(join(folder, "${plural}.json"), "utf8"))
    }

    test("keeps ${plural} from one run to the next", () => {
      run("add", ${quoted(examples[0])})
      run("add", ${quoted(examples[1])})
      const [one, other] = saved()
      assert.ok(run("list").output.includes(one.${field}))

      assert.equal(run("${mark.verb}", one.id).status, 0)
      assert.equal(run("remove", other.id).status, 0)
      assert.deepEqual(saved(), [{ ...one, ${mark.field}: ${mark.kind === "flag" ? "true" : "1"} }])
    })

    test("says what is wrong", () => {
      assert.match(run("remove", "nothing").output, /no ${noun} "nothing"/)
      assert.match(run().output, /Usage: .* add <${field}>/)
    })
  `
}

function pythonCli({ title, noun, plural, field, mark }: Collection): string {
  const [Noun, Plural] = [capitalised(noun), capitalised(plural)]
  const sign = mark.kind === "flag" ? `'[x]' if ${noun}.${mark.field} else '[ ]'` : `${noun}.${mark.field}`
  return source`
    """${title} on the command line."""

    import json
    import sys
    from dataclasses import asdict
    from pathlib import Path

    from ${plural} import ${Noun}, ${Plural}

    FILE = Path("${plural}.json")

    USAGE = """${title}

    Usage: python3 cli.py add <${field}>
           python3 cli.py list
           python3 cli.py ${mark.verb} <id>
           python3 cli.py remove <id>"""


    def main(args=None):
        command, *rest = (sys.argv[1:] if args is None else args) or [""]
        try:
            ${plural} = load()
            lines = run(${plural}, command, " ".join(rest))
            save(${plural})
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
        print("\n".join(lines))
        return 0


    def run(${plural}, command, rest):
        """Does what the command says, and returns the lines to print."""
        if command == "add":
            return [line(${plural}.add(rest))]
        if command == "list":
            return [line(${noun}) for ${noun} in ${plural}.all()] or ["No ${plural} yet."]
        if command == "${mark.verb}":
            ${noun} = ${plural}.${mark.verb}(rest)
            if not ${noun}:
                raise ValueError(f'There is no ${noun} "{rest}".')
            return [line(${noun})]
        if command == "remove":
            if not ${plural}.remove(rest):
                raise ValueError(f'There is no ${noun} "{rest}".')
            return [f"Removed {rest}."]
        raise ValueError(USAGE)


    def line(${noun}):
        return f"{${noun}.id}  {${sign}}  {${noun}.${field}}"


    def load():
        if not FILE.exists():
            return ${Plural}()
        return ${Plural}(${Noun}(**saved) for saved in json.loads(FILE.read_text(encoding="utf-8")))


    def save(${plural}):
        saved = [asdict(${noun}) for ${noun} in ${plural}.all()]
        FILE.write_text(json.dumps(saved, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


    if __name__ == "__main__":
        sys.exit(main())
  `
}

function pythonTest({ noun, plural, field, examples, mark }: Collection): string {
  const [first, second] = [quoted(examples[0]), quoted(examples[1])]
  return source`
    import json
    import subprocess
    import sys
    import tempfile
    import unittest
    from pathlib import Path


    class CliTest(unittest.TestCase):
        def setUp(self):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            self.folder = Path(folder.name)

        def run_cli(self, *args):
            """The exit code of a run, and all that it printed."""
            cli = Path(__file__).resolve().with_name("cli.py")
            command = [sys.executable, cli, *args]
            done = subprocess.run(command, cwd=self.folder, capture_output=True, encoding="utf-8")
            return done.returncode, done.stdout + done.stderr

        def saved(self):
            return json.loads((self.folder / "${plural}.json").read_text(encoding="utf-8"))

        def test_keeps_${plural}_from_one_run_to_the_next(self):
            self.run_cli("add", ${first})
            self.assertIn(${second}, self.run_cli("add", ${second})[1])
            self.assertIn(${first}, self.run_cli("list")[1])

            one, other = self.saved()
            self.assertEqual(self.run_cli("${mark.verb}", one["id"])[0], 0)
            self.assertEqual(self.run_cli("remove", other["id"])[0], 0)

            (left,) = self.saved()
            self.assertEqual(left["${mark.field}"], ${mark.kind === "flag" ? "True" : "1"})

        def test_says_what_is_wrong(self):
            self.assertIn('no ${noun} "nothing"', self.run_cli("remove", "nothing")[1])
            self.assertIn("add <${field}>", self.run_cli()[1])


    if __name__ == "__main__":
        unittest.main()
  `
}
