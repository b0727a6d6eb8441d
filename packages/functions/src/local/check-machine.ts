import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { CheckMachine } from "@switchyard/core/work/gate/environment"

/** Commands that print a program's version. */
const VERSIONS: Record<string, string> = {
  node: "node --version",
  python3: "python3 --version",
  go: "go version",
  cargo: "cargo --version",
  java: "java -version 2>&1",
}
/** Programs whose version isn't read, because they are slow to print it. */
const OTHERS = ["npm", "pnpm", "mvn", "make"]
const LIMIT_MS = 10_000

/**
 * Script that examines all programs in a single process. It runs in the root folder, because a project's settings could
 * select other versions.
 */
const SCRIPT = [
  "cd /",
  `echo "system $(. /etc/os-release 2>/dev/null; echo "\${PRETTY_NAME:-$(uname -sr)}")"`,
  ...Object.entries(VERSIONS).map(([name, command]) => `echo "${name} $(${command} 2>/dev/null | head -n 1)"`),
  ...OTHERS.map((name) => `command -v ${name} >/dev/null && echo "${name}"`),
  "true",
].join("\n")

/**
 * Returns a function that finds out which programs checks can use on this machine. The machine is examined once per
 * process. The result also holds for runners, because they start on the same machine with the same PATH. The function
 * returns undefined if the machine can't be examined.
 */
export function createCheckMachine(): () => Promise<CheckMachine | undefined> {
  let reading: Promise<CheckMachine | undefined> | undefined
  return () => {
    reading ??= promisify(execFile)("/bin/sh", ["-c", SCRIPT], { timeout: LIMIT_MS }).then(
      ({ stdout }) => parseMachine(stdout),
      () => undefined,
    )
    return reading
  }
}

/** Parses lines that begin with a program's name. If no version follows, the program isn't installed. */
function parseMachine(output: string): CheckMachine {
  const lines = output.trim().split("\n").map(splitName)
  const system = lines.find(({ name }) => name === "system")?.rest ?? "unknown"
  const programs = lines.flatMap(({ name, rest }): [string, string | null][] => {
    if (OTHERS.includes(name)) return [[name, null]]
    const version = name in VERSIONS ? /\d+(?:\.\d+){0,2}/.exec(rest)?.[0] : undefined
    return version === undefined ? [] : [[name, version]]
  })
  return { system: `${system}, ${process.arch}`, programs: Object.fromEntries(programs) }
}

function splitName(line: string): { name: string; rest: string } {
  const [name = "", ...rest] = line.split(" ")
  return { name, rest: rest.join(" ") }
}
