import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { CliLogin } from "@switchyard/core/agents/clis/cli"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import { AccountView } from "@switchyard/core/people/accounts/schema"
import { AgentProviders } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { CliError, isRefusal, UsageError } from "../errors/errors.ts"
import { showAccount } from "./accounts.ts"

export interface AccountLoginOptions {
  provider: CliId
  /** Folder that contains an existing login to use. */
  from?: string
  consent?: boolean
}

/**
 * Gives an account its agent's own login. Adds the account if it doesn't exist. Either logs in with the agent's program
 * in this terminal, using a temporary folder, or copies the login from another folder.
 */
export async function logInAccount(
  cli: Cli,
  name: string,
  { provider, from, consent = false }: AccountLoginOptions,
): Promise<void> {
  const { api, terminal } = cli
  const { login } = cliOf(provider)
  if ("refused" in login) throw new UsageError(login.refused)
  const { providers } = await api.ask("GET /api/v1/providers", AgentProviders, {})
  const told = providers.find(({ type }) => type === provider)?.login
  if (!told) throw new UsageError("This server doesn't accept logins for this agent. Add the account with a key.")
  if (!consent) throw new UsageError(`${told.notice} Add --consent if you agree.`)
  terminal.notice(told.notice)
  const files = from === undefined ? await newLogin(cli, login) : await filesIn(from, login)
  const change = { files, consent }
  try {
    const asked = { path: { name }, body: change }
    showAccount(cli, await api.ask("PUT /api/v1/accounts/{name}/login", AccountView, asked))
  } catch (error) {
    if (!isRefusal(error, "account_not_found")) throw error
    const body = { name, provider, login: change }
    showAccount(cli, await api.ask("POST /api/v1/accounts", AccountView, { body }))
  }
}

async function newLogin({ programEnv, interrupts }: Cli, login: CliLogin) {
  const { command, variable } = login
  if (!command || !variable) throw new UsageError("Use --from to specify the folder that contains the account's login.")
  // Prefer a folder in the home directory, because some programs refuse to store their files in the system's temporary
  // folder.
  const folder = await mkdtemp(join(homedir(), ".switchyard-login-")).catch(() =>
    mkdtemp(join(tmpdir(), "switchyard-login-")),
  )
  try {
    await runProgram(command, { ...programEnv, [variable]: folder }, interrupts.first)
    return await filesIn(folder, login)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runProgram([file = "", ...args]: string[], env: Cli["programEnv"], signal: AbortSignal): Promise<void> {
  const child = spawn(file, args, { env, stdio: "inherit", signal })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error
    throw new CliError(`There is no ${file} on your PATH. Install it, or specify the folder of a login with --from.`)
  })
  if (code !== 0) throw new CliError(`${[file, ...args].join(" ")} exited without logging in.`)
}

async function filesIn(folder: string, { files }: CliLogin) {
  const read = await Promise.all(
    files.map(async (name) => [name, await readFile(join(folder, name), "utf8").catch(() => undefined)] as const),
  )
  const found = Object.fromEntries(read.flatMap(([name, content]) => (content === undefined ? [] : [[name, content]])))
  if (found[files[0]] === undefined) throw new CliError(`There is no ${files[0]} in ${folder}.`)
  return found
}
