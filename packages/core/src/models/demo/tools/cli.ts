import { scriptFile } from "../module.ts"
import type { Project, ProjectFile } from "../project.ts"
import { blocks, quoted, snake, source } from "../source.ts"
import { moduleFiles, type Tool, type ToolFace } from "./tool.ts"

/** A tool on the command line: its text comes from the arguments, or else from standard input. */
export const toolCli: ToolFace = {
  feature: (tool) => `Takes its ${tool.input.name} from arguments${tool.cli ? "" : ", or from a pipe"}`,
  files: (tool, project) => [
    ...moduleFiles(tool, project),
    ...(project.language === "python" ? pythonFiles(tool) : nodeFiles(tool, project)),
  ],
  usage: (tool, { language }) => {
    const run = language === "python" ? "python3 cli.py" : `node cli.${language === "typescript" ? "ts" : "js"}`
    const text = shellQuoted(tool.example.input)
    const piped = tool.cli ? "" : `\nprintf %s ${text} | ${run}`
    return `${"```"}sh\n${run} ${text}${piped}\n${"```"}`
  },
}

function nodeFiles(tool: Tool, project: Project): ProjectFile[] {
  const file = (path: string, purpose: string, text: string) => scriptFile(project.language, path, purpose, text)
  return [
    file("cli.ts", "The command: reads its text, prints the answer.", tool.cli?.script ?? cli(tool)),
    file("cli.test.ts", "Runs the command as a user does.", tool.cli?.scriptTest ?? cliTest(tool)),
  ]
}

function pythonFiles(tool: Tool): ProjectFile[] {
  return [
    {
      path: "cli.py",
      purpose: "The command: reads its text, prints the answer.",
      content: tool.cli?.python ?? pythonCli(tool),
    },
    {
      path: "test_cli.py",
      purpose: "Runs the command as a user does.",
      content: tool.cli?.pythonTest ?? pythonTest(tool),
    },
  ]
}

function cli(tool: Tool): string {
  const { call, input, shows } = tool
  const head = source`
    import { readFileSync } from "node:fs"
    import { ${call.script} } from "./${tool.module}.ts"

    const usage = \`${tool.title}: ${tool.summary}

    Usage: node cli.ts <${input.name}>
           node cli.ts < file\`

    process.exitCode = main(process.argv.slice(2))

    function main(args‹: string[]›)‹: number› {
      const ${input.name} = args.length > 0 ? args.join(" ") : pipedText()
      if (${input.name} === "" || ${input.name} === "--help") {
        console.log(usage)
        return ${input.name} === "" ? 2 : 0
      }
      try {
        ${shows === "table" ? `printTable(${call.script}(${input.name}))` : `console.log(${call.script}(${input.name}))`}
        return 0
      } catch (error) {
        console.error(error instanceof Error ? error.message : error)
        return 1
      }
    }

    /** What comes through a pipe; nothing when a person sits at the keyboard. */
    function pipedText()‹: string› {
      return process.stdin.isTTY ? "" : readFileSync(0, "utf8").trimEnd()
    }
  `
  const table = source`
    function printTable(table‹: object›) {
      for (const [name, value] of Object.entries(table)) console.log(\`\${name.padEnd(12)}\${value}\`)
    }
  `
  return blocks(head, shows === "table" && table)
}

function cliTest(tool: Tool): string {
  const { input, example, refuses } = tool
  const head = source`
    import assert from "node:assert/strict"
    import { spawnSync } from "node:child_process"
    import { test } from "node:test"
    import { fileURLToPath } from "node:url"

    const cli = fileURLToPath(new URL("./cli.ts", import.meta.url))

    function run(args‹: string[]›, piped = "") {
      return spawnSync(process.execPath, [cli, ...args], { input: piped, encoding: "utf8" })
    }

    test("prints the answer for its arguments", () => {
      const { status, stdout } = run([${quoted(example.input)}])
      assert.equal(status, 0)
      ${printedCheck(tool)}
    })

    test("reads from a pipe", () => {
      const { status, stdout } = run([], ${quoted(example.input)})
      assert.equal(status, 0)
      ${printedCheck(tool)}
    })

    test("shows its usage without ${input.name}", () => {
      const { status, stdout } = run([])
      assert.equal(status, 2)
      assert.match(stdout, /Usage/)
    })
  `
  const refusal = source`
    test("says what is wrong", () => {
      const { status, stderr } = run([${quoted(refuses ?? "")}])
      assert.equal(status, 1)
      assert.notEqual(stderr, "")
    })
  `
  return blocks(head, refuses !== undefined && refusal)
}

function pythonCli(tool: Tool): string {
  const { call, input, shows } = tool
  const head = source`
    """${tool.title} on the command line."""

    import sys

    from ${snake(tool.module)} import ${call.python}

    USAGE = """${tool.title}: ${tool.summary}

    Usage: python3 cli.py <${input.name}>
           python3 cli.py < file"""


    def main(args=None):
        args = sys.argv[1:] if args is None else args
        ${input.name} = " ".join(args) if args else piped_text()
        if ${input.name} in ("", "--help"):
            print(USAGE)
            return 2 if ${input.name} == "" else 0
        try:
            ${shows === "table" ? `print_table(${call.python}(${input.name}))` : `print(${call.python}(${input.name}))`}
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
        return 0


    def piped_text():
        """What comes through a pipe; nothing when a person sits at the keyboard."""
        return "" if sys.stdin.isatty() else sys.stdin.read().rstrip()
  `
  const table = source`
    def print_table(table):
        for name, value in table.items():
            print(f"{name:<12}{value}")
  `
  const last = source`
    if __name__ == "__main__":
        sys.exit(main())
  `
  return blocks(head, shows === "table" && `\n${table}`, `\n${last}`)
}

function pythonTest(tool: Tool): string {
  const { input, example, refuses } = tool
  const tests = source`
    def run_cli(self, *args, piped=""):
        cli = Path(__file__).with_name("cli.py")
        return subprocess.run([sys.executable, cli, *args], input=piped, capture_output=True, text=True)

    def test_prints_the_answer_for_its_arguments(self):
        done = self.run_cli(${quoted(example.input)})
        self.assertEqual(done.returncode, 0)
        ${pythonPrintedCheck(tool)}

    def test_reads_from_a_pipe(self):
        done = self.run_cli(piped=${quoted(example.input)})
        self.assertEqual(done.returncode, 0)
        ${pythonPrintedCheck(tool)}

    def test_shows_its_usage_without_${input.name}(self):
        done = self.run_cli()
        self.assertEqual(done.returncode, 2)
        self.assertIn("Usage", done.stdout)
  `
  const refusal = source`
    def test_says_what_is_wrong(self):
        done = self.run_cli(${quoted(refuses ?? "")})
        self.assertEqual(done.returncode, 1)
        self.assertNotEqual(done.stderr, "")
  `
  return source`
    import subprocess
    import sys
    import unittest
    from pathlib import Path


    class CliTest(unittest.TestCase):
        ${blocks(tests, refuses !== undefined && refusal)}


    if __name__ == "__main__":
        unittest.main()
  `
}

function printedCheck({ example }: Tool): string {
  if ("length" in example) return `assert.equal(stdout.trim().length, ${example.length})`
  if (typeof example.result !== "object") return `assert.equal(stdout, ${quoted(`${example.result}\n`)})`
  const [[name, value] = []] = Object.entries(example.result)
  return `assert.match(stdout, /^${name} +${value}$/m)`
}

function pythonPrintedCheck({ example }: Tool): string {
  if ("length" in example) return `self.assertEqual(len(done.stdout.strip()), ${example.length})`
  if (typeof example.result !== "object") return `self.assertEqual(done.stdout, ${quoted(`${example.result}\n`)})`
  const [[name, value] = []] = Object.entries(example.result)
  return `self.assertRegex(done.stdout, r"(?m)^${name} +${value}$")`
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
