import { Component, type ReactNode } from "react"
import { errorText } from "../api/error-text.ts"
import { studioAnswers } from "../ui/lazy-part.ts"
import { Outdated } from "./outdated.tsx"
import { Unreachable } from "./unreachable.tsx"

interface State {
  failed: { error: unknown } | null
  /** Whether the server is there without the part that is missing. */
  isOutdated: boolean
}

interface Props {
  /** Whether the error is that a part of the studio couldn't be loaded. */
  isMissingPart(error: unknown): boolean
  children: ReactNode
}

/**
 * Replaces the studio when a part of it can't be loaded or rendered, mostly because the server was down or has a newer
 * version. Reloads once a server answers; drafts are stored by then. A class, since React requires one here.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: null, isOutdated: false }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failed: { error } }
  }

  override async componentDidCatch(error: unknown): Promise<void> {
    if (this.props.isMissingPart(error) && (await studioAnswers())) this.setState({ isOutdated: true })
  }

  override render(): ReactNode {
    const { failed, isOutdated } = this.state
    if (failed === null) return this.props.children
    if (isOutdated) return <Outdated />
    const { error } = failed
    return <Unreachable reason={errorText(error)} retry={reloadIfAnswered} />
  }
}

async function reloadIfAnswered(): Promise<void> {
  if (await studioAnswers()) location.reload()
}
