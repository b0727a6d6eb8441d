import type { Terminal } from "@xterm/xterm"
import { type RefObject, useEffect, useRef } from "react"
import type { Api } from "../../../api/client.ts"
import { anything } from "../../../api/decode.ts"
import type { Streams } from "../../../session/connection/tab-streams.ts"
import { fitSize } from "../emulator/fit.ts"
import type { Size } from "../emulator/grid.ts"
import type { TerminalPath } from "./input-queue.ts"

/** While a window is being resized, its size is reported once it has settled. */
const SETTLES_MS = 150

interface Shown {
  terminal: Terminal | null
  frame: RefObject<HTMLElement | null>
  size: Size
  fontPx: number
  /** Changes with the frame's size. */
  room: number
}

/**
 * Reports this window's size to the terminal. The first viewer to report controls the size; others see it scaled until
 * they take control. `asks`: whether this page reports its size automatically.
 */
export function useSize(
  { api, streams }: { api: Api; streams: Streams },
  path: TerminalPath,
  client: string,
  shown: Shown,
  { open, asks }: Record<"open" | "asks", boolean>,
) {
  const { terminal, frame, size, fontPx, room } = shown
  const requested = useRef<Size | null>(null)
  const mine = requested.current?.rows === size.rows && requested.current.cols === size.cols

  const report = (take: boolean) => {
    const next = terminal && frame.current ? fitSize(terminal, frame.current, fontPx) : null
    if (!next || !open) return
    requested.current = next
    const body = { client, ...next, take }
    void send(body)
  }
  async function send(body: Size & { client: string; take: boolean }): Promise<void> {
    if (await streams.send({ type: "resize", session: path.id, pty: path.pty, ...body })) return
    const call = { path, body, response: anything }
    await api.call("POST /api/v1/sessions/{id}/terminals/{pty}/resize", call).catch(() => undefined)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: as soon as there is something to measure
  useEffect(() => {
    if (asks) report(false)
  }, [terminal, open, asks])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the available space has changed, whoever owns the size
  useEffect(() => {
    if (!mine) return
    const timer = setTimeout(() => report(false), SETTLES_MS)
    return () => clearTimeout(timer)
  }, [room, fontPx])

  return { mine, take: () => report(true) }
}
