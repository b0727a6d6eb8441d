import { CommanderError } from "commander"
import type { GlobalOptions } from "../cli.ts"
import { EXIT, exitCodeOfError } from "../errors/exit.ts"
import { sanitizeLine } from "../output/sanitize.ts"
import type { Act } from "./act.ts"
import { createProgram } from "./command-line.ts"

/** Runs the command line. Returns the exit code. */
export async function runCommand(argv: string[]): Promise<number> {
  exitOnClosedPipe()
  let code: number = EXIT.done
  let say = (text: string): void => {
    process.stderr.write(`${sanitizeLine(text)}\n`)
  }
  const act: Act = (load) =>
    async function (...given) {
      const [{ createCli }, task] = await Promise.all([import("../cli.ts"), load()])
      const cli = createCli(this.optsWithGlobals<GlobalOptions>(), process)
      say = cli.terminal.notice
      code = (await task(cli, ...given)) ?? EXIT.done
    }
  try {
    await createProgram(act).parseAsync(argv)
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    say(`switchyard: ${error instanceof Error ? error.message : String(error)}`)
    return exitCodeOfError(error)
  }
}

/** Exits as other Unix tools do if a reader such as `head` closes the pipe. */
function exitOnClosedPipe() {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 141 : EXIT.failed)
  })
}
