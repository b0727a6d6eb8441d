import { locate } from "@switchyard/client/request"
import { Component, type ReactNode } from "react"
import { Unreachable } from "./unreachable.tsx"

interface State {
  failed: string | null
}

/**
 * Replaces the studio when a part of it can't be loaded or rendered, mostly because the server was down or has a newer
 * version. Reloads once a server answers; drafts are stored by then. A class, since React requires one here.
 */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: null }

  static getDerivedStateFromError(error: unknown): State {
    return { failed: error instanceof Error ? error.message : String(error) }
  }

  override render(): ReactNode {
    const { failed } = this.state
    return failed === null ? this.props.children : <Unreachable reason={failed} retry={reloadIfAnswered} />
  }
}

async function reloadIfAnswered(): Promise<void> {
  const answer = await fetch(locate("GET /config.json", {}).path, { cache: "no-store" }).catch(() => undefined)
  if (answer?.ok) location.reload()
}
