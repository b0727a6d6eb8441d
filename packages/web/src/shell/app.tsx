import { type ReactNode, useEffect, useState } from "react"
import { Redirect, Route, Switch, useLocation } from "wouter"
import { MeDecoder } from "../api/me.ts"
import { HomeScreen } from "../features/home/home-screen.tsx"
import { StudioEntry } from "../features/home/studio-entry.tsx"
import { paths, settingsSections } from "../session/context/routes.ts"
import { useBrowser, useStudio } from "../session/context/studio.ts"
import { usePreferences } from "../session/preferences/use-preferences.ts"
import { lazyPart } from "../ui/lazy-part.ts"
import { Empty, Skeleton } from "../ui/notice.tsx"
import { TextLink } from "../ui/text-link.tsx"
import { Shell } from "./shell.tsx"

const loading = <Skeleton lines={6} className="m-6" />
const SessionScreen = lazyPart(async () => (await import("./session/session-screen.tsx")).SessionScreen, loading)
const SettingsScreen = lazyPart(
  async () => (await import("../features/settings/settings-screen.tsx")).SettingsScreen,
  loading,
)
const QuestionsScreen = lazyPart(
  async () => (await import("../features/questions/questions-screen.tsx")).QuestionsScreen,
  loading,
)
const UsageScreen = lazyPart(async () => (await import("../features/usage/usage-screen.tsx")).UsageScreen, loading)
const LoginScreen = lazyPart(async () => (await import("../features/access/login-screen.tsx")).LoginScreen)
const ConnectScreen = lazyPart(async () => (await import("../features/access/connect-screen.tsx")).ConnectScreen)
const AboutScreen = lazyPart(async () => (await import("../features/guide/about-screen.tsx")).AboutScreen, loading)
const GuideScreen = lazyPart(async () => (await import("../features/guide/guide-screen.tsx")).GuideScreen, loading)

export function App() {
  const known = useWhoIsHere()
  usePreferences()
  if (!known) return <Skeleton lines={3} className="m-auto max-w-md" />
  return (
    <Switch>
      <Route path="/login" component={LoginScreen} />
      <Route path="/connect">
        <ConnectScreen />
      </Route>
      <Route>
        <Shell>
          <Rooms />
        </Shell>
      </Route>
    </Switch>
  )
}

function Rooms() {
  const loggedOut = useBrowser((state) => state.loggedOut)
  const [path] = useLocation()
  if (loggedOut && !isPublic(path)) return <Redirect to={`/login?next=${encodeURIComponent(here())}`} replace />
  return (
    <Switch>
      <Route path="/" component={HomeScreen} />
      <Route path="/studio" component={StudioEntry} />
      <Route path="/s/:id/*?">
        {({ id, "*": view }) => <Session key={id} id={decodeURIComponent(id)} view={view} />}
      </Route>
      <Route path="/needs" component={QuestionsScreen} />
      <Route path="/usage" component={UsageScreen} />
      <Route path="/settings/:section?">{({ section }) => <Settings section={section} />}</Route>
      <Route path="/about">{scrolling(<AboutScreen />)}</Route>
      <Route path="/docs">{scrolling(<GuideScreen />)}</Route>
      <Route path="/guide">
        <Redirect to={paths.guide()} replace />
      </Route>
      <Route component={NotFound} />
    </Switch>
  )
}

function NotFound() {
  return (
    <Empty page title="Page not found">
      <TextLink href={paths.home()}>Go home</TextLink>
    </Empty>
  )
}

function Session({ id, view = "" }: { id: string; view: string | undefined }) {
  const known =
    /^$|^(run$|team$|chat$|preview$|a(\/[^/]+)?$|term(\/\w+)?$|changes(\/|$)|merge$|bake-offs$|files(\/|$)|prompts\/(planner|architect|coder)$)/.test(
      view,
    )
  return known ? <SessionScreen id={id} view={view} /> : <Redirect to={paths.run(id)} replace />
}

function Settings({ section }: { section: string | undefined }) {
  if (section === undefined) return <Redirect to={paths.settings()} replace />
  const known = settingsSections.find((one) => one === section)
  return known ? <SettingsScreen section={known} /> : <NotFound />
}

function isPublic(path: string): boolean {
  return ["/guide", paths.about(), paths.guide()].includes(path)
}

/** Returns the full path, including the moment of a replay. */
function here(): string {
  return location.pathname + location.search + location.hash
}

/** Wraps a page of any length so that it scrolls inside the shell. */
function scrolling(page: ReactNode) {
  return <div className="relative h-full overflow-y-auto">{page}</div>
}

/** Loads the user, without whom none of their data can be shown. Throws if the server can't be reached. */
function useWhoIsHere(): boolean {
  const { api, browser } = useStudio()
  const known = useBrowser((state) => state.me !== null || state.loggedOut)
  const [failure, setFailure] = useState<unknown>(null)
  useEffect(() => {
    if (known) return
    const controller = new AbortController()
    api.call("GET /v1/me", { response: MeDecoder, signal: controller.signal }).then(
      (found) => browser.setState({ me: found }),
      // If a login is missing, that is already known.
      (error) => controller.signal.aborted || browser.getState().loggedOut || setFailure(error),
    )
    return () => controller.abort()
  }, [api, browser, known])
  if (failure !== null && !known) throw failure
  return known
}
