import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { AgentTask } from "@switchyard/core/agents/clis/cli"
import { clis } from "@switchyard/core/agents/clis/clis"
import * as z from "zod"
import { drain, PATHS, pieces } from "./read-texts.ts"

export type Read = (text: string) => unknown
// biome-ignore lint/suspicious/noExplicitAny: the types of a module that is loaded by its name
export type Loaded = any

/** How to call functions that take more than a text. */
export const READERS: Record<string, (module: Loaded) => Read> = {
  "core/src/text/comments.ts withoutComments": (m) => (text) =>
    ["html", "css", "py", "ts"].map((extension) => m.withoutComments(text, m.commentsOf(extension))),
  "core/src/agents/setup/plain-text.ts plainInstructions": (m) => (text) => m.plainInstructions(text, () => false),
  "core/src/agents/setup/read-servers.ts serversIn": (m) => (text) =>
    ["a.json", "a.toml"].map((path) => m.serversIn(text, { path, field: "servers" })),
  "core/src/models/plan-limit.ts limitInRefusal": (m) => (text) => m.limitInRefusal(text, undefined),
  "cli/src/output/sanitize.ts clip": (m) => (text) => m.clip(text, 1_000_000),
  "cli/src/streams/sse.ts readFrames": (m) => (text) => drain(m.readFrames(pieces(Buffer.from(text)))),
  "core/src/agents/protocols/protocols.ts protocols": (m) => (text) => {
    for (const cli of Object.values(clis)) {
      const plans = [cli.plan(TASK, ACCOUNT, m.protocols), cli.fallback?.(TASK, ACCOUNT, m.protocols)]
      for (const { protocol } of plans.filter((plan) => plan !== undefined)) {
        protocol.open()
        for (const piece of pieces(Buffer.from(text))) protocol.parse(piece)
        protocol.flush()
      }
    }
  },
  "core/src/files/archives/unzip.ts unzipChanges": (m) => (text) => m.unzipChanges(Buffer.from(text, "latin1")),
  "core/src/files/worktrees/conflict-markers.ts parseRegions": (m) => (text) =>
    m.parseRegions(text, 7, { ours: text, base: text, theirs: text }),
  "core/src/work/context/file-tree.ts fileTree": (m) => (text) => m.fileTree(text.split("\n")),
  "core/src/work/gate/check-output.ts shortenOutput": (m) => (text) => m.shortenOutput(text, 6000),
  "core/src/work/gate/find-checks.ts findChecks": (m) => (text) =>
    m.findChecks({ has: () => true, text: () => text, paths: () => text.split("\n") }),
  "runner/src/gateway/meter.ts createMeter": (m) => async (text) => {
    for (const type of ["text/event-stream", "application/json"]) {
      const meter = m.createMeter(type)
      await pipeline(Readable.from(pieces(Buffer.from(text))), meter.through, drain)
      meter.usage()
    }
  },
  "runner/src/gateway/redact.ts redact": (m) => (text) =>
    pipeline(Readable.from(pieces(Buffer.from(text))), m.redact("a1a2"), drain),
  "runner/src/gate/preview-server.ts shownOutput": (m) => (text) => m.shownOutput(text, { cwd: "/tmp" }),
  "runner/src/processes/unread-keys.ts takeUnread": (m) => (text) => m.takeUnread(Buffer.from(text)),
  "core/src/agents/protocols/line-splitter.ts createLineSplitter": (m) => (text) => {
    const splitter = m.createLineSplitter()
    for (const piece of pieces(Buffer.from(text))) splitter.push(piece)
  },
  "core/src/agents/conversations/visible-text.ts createVisibleText": (m) => (text) => {
    const visible = m.createVisibleText()
    for (const piece of pieces(text)) visible.take(piece)
    return visible.end()
  },
  "core/src/agents/conversations/claims.ts unsupportedClaims": (m) => (text) =>
    m.unsupportedClaims(text.split("\n"), ["src/a.ts", "docs/w1"]),
  "core/src/agents/terminals/whole-characters.ts createCharacterKeeper": (m) => (text) => {
    const keepWhole = m.createCharacterKeeper()
    for (const piece of pieces(Buffer.from(text))) keepWhole(piece)
  },
  "core/src/agents/terminals/safe-cut.ts createSequenceTracker": (m) => (text) => {
    const tracker = m.createSequenceTracker()
    for (const piece of pieces(Buffer.from(text))) tracker.feed(piece)
  },
  "core/src/files/edits/apply-edit.ts applyEdit": (m) => (text) => {
    const oldLines = text.slice(0, text.length / 2).split("\n")
    return m.applyEdit(text, { path: "a", oldLines, newLines: ["b"] })
  },
  "core/src/files/edits/search-replace.ts applyEdits": (m) => (text) =>
    m.applyEdits(text, [{ search: text.slice(0, text.length / 2), replace: "b" }]),
  "core/src/files/edits/edit-blocks.ts createEditBlockParser": (m) => (text) => {
    const parser = m.createEditBlockParser()
    const answer = `${text.slice(0, text.length / 4)}\na.ts\n<<<< EDIT\n${text}`
    // The parser reads after each piece, as it does while an answer arrives. A block is open for most of the answer.
    for (const piece of pieces(answer, 29)) {
      parser.push(piece)
      parser.growing()
    }
    parser.parts()
  },
  "core/src/work/harness/json-strings.ts createJsonStringDecoder": (m) => (text) => {
    const decode = m.createJsonStringDecoder()
    for (const piece of pieces(text)) decode(piece)
  },
  "core/src/work/pages/page-text.ts pageText": (m) => (text) =>
    m.pageText({ url: "https://a.example", mediaType: "text/html", text }),
  "core/src/work/teams/views/memory-search.ts searchMemory": (m) => (text) =>
    m.searchMemory([{ path: "a.md", text }], "a w1 title"),
  "core/src/work/harness/written-calls.ts writtenCalls": (m) => (text) =>
    m.writtenCalls(text, [{ name: "w1", parameters: z.object({ title: z.string() }) }]),
  "core/src/work/workflow/plan/plan.ts parsePlan": (m) => (text) => m.parsePlan(text, { maxFiles: 20, files: [] }),
  "core/src/sessions/word-search.ts hasWords": (m) => (text) => m.hasWords(text, QUERY),
  "core/src/sessions/word-search.ts excerptAround": (m) => (text) => m.excerptAround(text, QUERY),
  "core/src/files/worktrees/matching-paths.ts matchingPaths": (m) => (text) =>
    m.matchingPaths(text.split("\n"), "aw1", 20),
  "runner/src/git/worktrees/markers.ts hasConflict": (m) => (text) => m.hasConflict(Buffer.from("a"), text),
  "web/src/features/chat/file-mentions.ts mentionedFiles": (m) => (text) =>
    m.mentionedFiles(text, ["a", "w1.ts"], new Set()),
  "web/src/features/conversation/mentions.ts mentionAt": (m) => (text) => m.mentionAt(text, text.length),
  "core/src/work/checks/check-file.ts checkFile": (m) => async (text) => {
    for (const path of PATHS) await m.checkFile({ path, text })
  },
  "runner/src/terminals/screen.ts parse": (m) => (text) =>
    m.parse(m.openEmulator({ rows: 24, cols: 80 }), Buffer.from(text)),
  "web/src/ui/markdown/blocks.ts splitBlocks": (m) => (text) => m.splitBlocks(text, null),
  "web/src/ui/plain-text.ts plainText": (m) => (text) => m.plainText(text, 1_000_000),
  "web/src/features/preview/inspect/answers.ts toElement": (m) => (text) =>
    m.toElement({ id: 1, tag: text.slice(0, 60), label: text, box: BOX }, 1),
  "web/src/features/preview/inspect/answers.ts toPickedElement": (m) => (text) =>
    m.toPickedElement(
      { id: 1, tag: "p", label: text, box: BOX, text, html: text, page: text, source: { file: text } },
      1,
    ),
}

const BOX = { x: 0, y: 0, width: 1, height: 1 }
const QUERY = "w1 w2 a title"

const TREE =
  "it gets a tree: `withTree` bounds the parser's time, and `factsOf` and `checkFile` are tried with whole texts"
const PART = "it is tried as a part of the parser of the whole text"
const OWN = "it puts text together, or passes it on whole"
const SHORT = "its text is a line or a name whose length is checked before"

/** Functions that take such a parameter but need no attack, with the reason. */
export const EXEMPT: Record<string, string> = Object.fromEntries([
  [
    "web/src/features/preview/inspect/html-lines.ts lineInHtml",
    "the parsers of the browser and of the editor read the text",
  ],
  ...[
    ...["files/symbols/grammars.ts withTree", "files/symbols/page-elements.ts elementsIn"],
    ...["files/symbols/tree-symbols.ts symbolsIn", "work/checks/compiled/c-errors.ts checkSemicolons"],
    ...["work/checks/compiled/go-errors.ts checkGo", "work/checks/facts/flask.ts readFlask"],
    ...["work/checks/facts/javascript-module.ts readJavaScript", "work/checks/facts/markup.ts readHtml"],
    ...["work/checks/facts/markup.ts readCss", "work/checks/facts/python-module.ts readPython"],
    ...["work/checks/python/python-errors.ts checkPython", "work/checks/syntax.ts checkSyntax"],
    ...["work/checks/text/placeholders.ts checkPlaceholders", "work/checks/facts/element-names.ts readSelector"],
    ...["agents/permissions/parse-command.ts parseCommand"],
  ].map((name) => [`core/src/${name}`, TREE]),
  ...[
    ...["core/src/files/edits/prose.ts readProse", "core/src/files/edits/thoughts.ts stepThoughts"],
    ...["core/src/files/edits/edit-paths.ts pathIn", "core/src/files/edits/edit-paths.ts pathInFence"],
    "core/src/files/edits/answer-edits.ts withPatches",
    "core/src/files/worktrees/repository-file.ts parseRepositoryFile",
    ...["core/src/files/worktrees/diff-header.ts readHeaderLine", "core/src/work/checks/facts/finding.ts lineAt"],
    ...["core/src/text/trim.ts trimEndWhere", "core/src/text/trim.ts trimWhere"],
    ...["core/src/work/pages/read-page.ts readPage", "core/src/work/teams/tools/check-files.ts faultsIn"],
    ...["core/src/work/workflow/plan/plan.ts parseTaskPlan", "core/src/work/workflow/plan/plan.ts parseAnswer"],
    ...["core/src/work/teams/views/read-memory.ts findInMemory", "web/src/session/connection/sse.ts openStream"],
  ].map((name) => [name, PART]),
  ...[
    ...["core/src/agents/conversations/asks.ts endEvent", "core/src/agents/conversations/prompt.ts answerPrompt"],
    ...["core/src/agents/terminals/asciicast.ts castLine", "core/src/kernel/artifact.ts storeArtifact"],
    ...["core/src/storage/limits.ts recordSize", "core/src/work/chat/pages/added-pages.ts addReadPage"],
    ...["core/src/work/checks/facts/finding.ts faultAt", "core/src/work/trains/merge-step.ts refusedStep"],
    ...["core/src/sessions/moments/chat-files.ts requireRepository", "runner/src/agents/task-prompt.ts firstWords"],
    ...["runner/src/git/plumbing/blobs.ts writeBlob", "runner/src/git/plumbing/git-errors.ts gitFailure"],
    ...["runner/src/git/worktrees/commit-work.ts commitWork", "runner/src/sandbox/files-protocol.ts readValue"],
    ...["web/src/api/decode.ts decodeJson", "web/src/api/store-item.ts storeItem"],
    ...[
      "web/src/features/conversation/mentions.ts insertMention",
      "web/src/features/files/buffer/line-endings.ts withEnding",
    ],
    ...[
      "web/src/features/files/buffer/line-endings.ts withMark",
      "web/src/features/files/editor/editor-document.ts replaceText",
      "web/src/features/files/editor/following.ts bringIntoSight",
    ],
    ...[
      "web/src/features/prompts/open-part-state.ts editOf",
      "web/src/session/preferences/prompt-overrides.ts withOverride",
    ],
    ...[
      "web/src/features/prompts/prompt-text.ts withinLimit",
      "web/src/features/terminal/emulator/create-terminal.ts written",
    ],
    ...[
      "functions/src/http/studio.ts pageHeaders",
      "functions/src/http/studio.ts studioPolicy",
      "cli/src/server/connection.ts orUnreachable",
    ],
    ...[
      "web/src/features/terminal/recording/load-recording.ts loadRecording",
      "core/src/agents/protocols/tool-kinds.ts clip",
    ],
    ...["cli/src/chat/commands.ts complete", "core/src/concurrency/thread-entry.ts serveCalls"],
    ...["cli/src/streams/stream.ts parseFrame", "core/src/work/checks/text/answer-text.ts stray"],
  ].map((name) => [name, OWN]),
  ...[
    ...[
      "core/src/agents/questions/answer-in-words.ts answerInWords",
      "core/src/agents/tasks/new-task.ts namedRepository",
    ],
    ...["core/src/files/worktrees/remote.ts parseRemote", "core/src/sessions/git-host-grants.ts openFor"],
    ...["functions/src/http/byte-range.ts parseRange"],
  ].map((name) => [name, SHORT]),
])

const TASK: AgentTask = {
  ...{ prompt: "a", root: "/project", cwd: "/project", home: "/home/agent" },
  ...{ model: null, reasoning: null, resume: null },
}
const ACCOUNT = { apiKey: "key", baseUrl: null }
