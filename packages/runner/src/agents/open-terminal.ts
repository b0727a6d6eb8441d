import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { createSizeOwner } from "@switchyard/core/agents/terminals/size-owner"

/** Handles people's input to an open terminal. */
export interface TerminalHandler {
  type(bytes: Uint8Array): void
  resize(rows: number, cols: number): void
  watched(client: string): void
  left(client: string): void
}

export type TerminalMessage = Extract<InboxMessage, { pty: string }>
export type TerminalInput = Extract<InboxMessage, { type: "terminal_input" }>

/** A terminal, and the people who view it. */
export interface OpenTerminal {
  receive(message: TerminalMessage): void
}

/** Creates the terminal. `isNew` returns false for input that was already received. */
export function createOpenTerminal(
  handler: TerminalHandler,
  { isNew }: { isNew: (input: TerminalInput) => boolean },
): OpenTerminal {
  const geometry = createSizeOwner()
  /** Number of open streams per viewer. A viewer may reconnect before the end of its previous stream is reported. */
  const streams = new Map<string, number>()

  function attach(client: string): void {
    streams.set(client, (streams.get(client) ?? 0) + 1)
    geometry.attach(client)
    handler.watched(client)
  }

  function detach(client: string): void {
    const left = (streams.get(client) ?? 0) - 1
    if (left > 0) return void streams.set(client, left)
    streams.delete(client)
    geometry.release(client)
    handler.left(client)
  }

  return {
    receive(message) {
      if (message.type === "terminal_attached") attach(message.client)
      else if (message.type === "terminal_detached") detach(message.client)
      else if (message.type === "terminal_resize") {
        if (geometry.requestSize(message.client, message.take)) handler.resize(message.rows, message.cols)
      } else if (isNew(message)) handler.type(Buffer.from(message.data, "base64"))
    },
  }
}
