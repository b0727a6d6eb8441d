import { extensionOf, isForeign, isMinified } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { JavaScriptModule } from "../facts/javascript-module.ts"
import { faultsOf, type Project, scriptsIn } from "../facts/project.ts"
import { hasBundler, type Manifest, nearest, readManifests } from "./manifests.ts"

/** Finds names that a script uses, but that neither the script nor its runtime defines. */
export function checkJavaScriptNames(project: Project): Finding[] {
  const given = givenNames(project)
  if (!given) return []
  const manifests = readManifests(project.files)
  return faultsOf(project, "javascript", (path, module) => {
    const text = project.files.get(path) ?? ""
    if (HAS_OWN_NAMES.test(path) || /\bno-undef\b/.test(text)) return []
    const expected = expectedIn(text)
    const isApart = isModule(path, module) && !RUNS_OTHERS.test(text)
    const isThere = (name: string) =>
      KNOWN.has(name) || expected.has(name) || given.everywhere.has(name) || (!isApart && given.inScripts.has(name))
    return [
      ...module.names.unbound
        .filter(({ name }) => !isThere(name) && !OF_PLATFORMS.test(name))
        .map(({ name, line }) => missing(name, line)),
      ...checkCommon(path, module, nearest(manifests, path)),
    ]
  })
}

/** Matches files that define tree-sitter grammars. They use names that tree-sitter provides. */
const HAS_OWN_NAMES = /(?:^|\/)grammar\.js$/

/** Matches scripts that run other scripts in their own scope, for example to test a page's script. */
const RUNS_OTHERS = /\beval\b|\bnode:vm\b|\brunIn\w*Context\b/

/**
 * Returns the names that a script expects to be defined elsewhere: it tests for them with `typeof`, or declares them to
 * a linter.
 */
function expectedIn(text: string): Set<string> {
  return new Set([...text.matchAll(EXPECTED)].flatMap(([, name, names]) => name ?? names?.split(/[\s,:]+/) ?? []))
}
const EXPECTED = /\btypeof[\s(]+([A-Za-z_$][\w$]*)|\/\*\s*globals?\s([^*]*)\*\//g

function missing(name: string, line: number): Fault {
  return faultAt(line, "missing_name", `"${name}" is used, but the file neither declares nor imports it.`)
}

/** Returns true if a script's top-level names are local to the script rather than global. */
function isModule(path: string, { system }: JavaScriptModule): boolean {
  return system.module !== undefined || system.common !== undefined || /\.(?:[cm][jt]s|vue|svelte)$/.test(path)
}

/**
 * Returns the names that scripts can use without defining them. Undefined if they can't be determined, because scripts
 * from other sites may define additional names.
 */
function givenNames({ files, facts }: Project): { everywhere: Set<string>; inScripts: Set<string> } | undefined {
  const everywhere = new Set<string>()
  const inScripts = new Set<string>()
  for (const [path, text] of files) {
    if (text === null) continue
    if (FROM_ELSEWHERE.test(text) || isUnread(path, text)) return undefined
    for (const [, name = "", other = ""] of text.matchAll(GLOBAL)) everywhere.add(name || other)
    const isConfigured = CONFIGURATION.test(path)
    if (isConfigured) for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g)) everywhere.add(name)
  }
  for (const { names } of [...facts.values()].flatMap(scriptsIn)) for (const name of names.bound) inScripts.add(name)
  return { everywhere, inScripts }
}

/**
 * Returns true if a script isn't analysed, because it is third-party or generated. Such a script may define any names
 * for its page.
 */
function isUnread(path: string, text: string): boolean {
  return /^(?:js|mjs|cjs)$/.test(extensionOf(path)) && (isForeign(path) || isMinified(path, text))
}

const FROM_ELSEWHERE =
  /<script\b[^<>]*\bsrc\s*=\s*["']?(?:(?:https?:)?\/\/|[^"'<>]*(?:node_modules|bower_components)\/)|<%|<\?php|\{%/i
/** Matches names that are set on the global object or read from it. */
const GLOBAL = /\b(?:window|globalThis|self|global)(?:\.([A-Za-z_$][\w$]*)|\[["']([\w$]+)["']\])/g
/** Matches files that may define or declare names. */
const CONFIGURATION = /\.d\.[cm]?ts$|\.config\.[cm]?[jt]s$|(?:^|\/)\.?eslintrc[^/]*$/

/** Matches the many browser names that follow a pattern, and names that builds insert. */
const OF_PLATFORMS = /^__|Event$|^(?:HTML|SVG|CSS|RTC|IDB|GPU|WebGL|Media|Speech)[A-Z]\w*$/

/** Finds CommonJS names in a file that Node runs as an ES module. */
function checkCommon(path: string, { names, system }: JavaScriptModule, manifest: Manifest | undefined): Fault[] {
  const isEsm = extensionOf(path) === "mjs" || (extensionOf(path) === "js" && manifest?.type === "module")
  // Files with explicit CommonJS statements are reported by another check, and bundlers support both module systems.
  if (!isEsm || system.common || /\.config\.\w+$/.test(path) || hasBundler(manifest)) return []
  const use = names.unbound.find(({ name }) => name === "__dirname" || name === "__filename")
  if (!use) return []
  const instead = use.name === "__dirname" ? "import.meta.dirname" : "import.meta.filename"
  return [faultAt(use.line, "missing_name", `an ES module has no "${use.name}": use ${instead}.`)]
}

/** Names that browsers, Node, workers, compilers and test runners provide to every script. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...Object.getOwnPropertyNames(Object.prototype),
  // Keywords that the grammar treats as names, because older scripts may use them as names.
  ...["await", "async", "yield", "let", "static", "of", "get", "set", "from", "as"],
  ...`arguments require module exports __dirname __filename define
  window document location history self parent top frames opener name status event origin screen frameElement
  localStorage sessionStorage indexedDB caches customElements alert confirm prompt open close stop print focus blur find
  requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback getComputedStyle getSelection matchMedia
  addEventListener removeEventListener dispatchEvent postMessage createImageBitmap reportError scroll scrollTo scrollBy
  scrollX scrollY pageXOffset pageYOffset innerWidth innerHeight outerWidth outerHeight devicePixelRatio visualViewport
  speechSynthesis isSecureContext crossOriginIsolated onload onerror onmessage onresize external trustedTypes navigation
  importScripts clients registration skipWaiting serviceWorker cookieStore launchQueue showOpenFilePicker showSaveFilePicker
  showDirectoryPicker Image Audio Option Notification Element Node NodeList NodeFilter Document DocumentFragment DOMParser Text Comment
  Attr Range Selection FileList FileReader Worker SharedWorker History Location Screen Storage CSS Path2D ImageData
  MutationObserver ResizeObserver IntersectionObserver PerformanceObserver ReportingObserver XMLHttpRequest XMLSerializer
  XPathResult XSLTProcessor EventSource OffscreenCanvas DataTransfer Touch TouchList ShadowRoot Animation KeyframeEffect
  AudioContext webkitAudioContext OfflineAudioContext ImageCapture MessageChannel Gamepad VideoFrame ActiveXObject
  StyleSheet CSSStyleSheet ValidityState TreeWalker EyeDropper Highlight WebSocketStream Sanitizer ViewTransition URLPattern
  describe it test expect suite xdescribe xit xtest xcontext fdescribe fit before after beforeEach afterEach beforeAll afterAll context specify assert jest vi cy chai
  sinon jasmine mocha fixture page browser QUnit Deno Bun HTMLRewriter EdgeRuntime chrome process global
  defineProps defineEmits defineExpose defineModel defineOptions defineSlots withDefaults useSlots $state $derived $effect
  $props $bindable $inspect $host React Temporal AsyncIterator WebSocketPair awslambda WScript`.split(/\s+/),
])
