import { Component, type ReactNode } from "react"
import { ApiError } from "../api/client.ts"
import { errorText } from "../ui/error-text.ts"
import { studioAnswers } from "../ui/lazy-part.ts"
import { Broken } from "./broken.tsx"
import { Unreachable } from "./unreachable.tsx"

interface State {
  failed: { error: unknown } | null
  /** True if the server responds, so waiting or reloading automatically wouldn't help. */
  hasServer: boolean
}

interface Props {
  /** Returns true if the error means that a part of the studio couldn't be loaded. */
  isMissingPart(error: unknown): boolean
  children: ReactNode
}

/**
 * Replaces the studio when a part of it can't be loaded or rendered, usually because the server was down or has a newer
 * version. Reloads once the server is back; drafts are stored by then. React requires a class here.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: null, hasServer: false }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failed: { error } }
  }

  override async componentDidCatch(error: unknown): Promise<void> {
    // A failed request may succeed the next time.
    if (!(error instanceof ApiError) && (await studioAnswers())) this.setState({ hasServer: true })
  }

  override render(): ReactNode {
    const { failed, hasServer } = this.state
    if (failed === null) return this.props.children
    const { error } = failed
    if (hasServer) return <Broken reason={this.props.isMissingPart(error) ? undefined : errorText(error)} />
    return <Unreachable reason={errorText(error)} retry={reloadIfAnswered} />
  }
}

async function reloadIfAnswered(): Promise<void> {
  if (await studioAnswers()) location.reload()
}
