import { Readable, Writable } from "node:stream"
import { ndJsonStream } from "@agentclientprotocol/sdk"
import { createEditorAgent, type EditorAgentOptions } from "../acp/agent.ts"
import { repositoryFor } from "../acp/repository.ts"
import type { Cli } from "../cli.ts"

export interface AcpOptions extends EditorAgentOptions {
  repository?: string
}

/**
 * Speaks the Agent Client Protocol on stdin and stdout until the editor disconnects. Active runs continue after that.
 */
export async function acp(
  cli: Cli,
  { repository, ...options }: AcpOptions,
  { stdin, stdout }: { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream },
): Promise<void> {
  const { terminal, connection, interrupts } = cli
  const agent = createEditorAgent(
    {
      ...cli,
      notice: terminal.notice,
      repositoryFor: async (folder, options) => repository ?? repositoryFor(folder, connection.resolve(""), options),
    },
    options,
  )
  const editor = agent.connect(
    ndJsonStream(Writable.toWeb(stdout), Readable.toWeb(stdin) as ReadableStream<Uint8Array>),
  )
  interrupts.first.addEventListener("abort", () => editor.close(), { once: true })
  await editor.closed
}
