import { locate } from "@switchyard/client/request"
import { Component, type ReactNode } from "react"
import { Unreachable } from "./unreachable.tsx"

interface State {
  failed: string | null
}

/**
 * Stands in for the studio when a part of it can't be fetched or drawn: mostly because the server was gone just then, or has
 * newer files. Begins anew as soon as a server answers. What was typed is kept by those who kept it. React takes nothing but
 * a class for this.
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
