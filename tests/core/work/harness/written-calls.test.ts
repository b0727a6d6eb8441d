import { defineTool, toolNamed } from "@switchyard/core/work/harness/tools"
import { writtenCalls } from "@switchyard/core/work/harness/written-calls"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as z from "zod"

const run = () => ({ answer: "", summary: "" })
const parameters = z.object({ path: z.string(), content: z.string(), line: z.number().nullish() })
const tools = [
  defineTool({ name: "write_file", description: "", kind: "write", parameters, run }),
  defineTool({ name: "delete_file", description: "", kind: "write", parameters: z.object({ path: z.string() }), run }),
]

const args = { path: "a.md", content: "# A\n\n<b> & {c}" }
const json = JSON.stringify({ name: "write_file", arguments: args })
const xml = ({ path, content }: { path: string; content: string }) =>
  `<tool_call>\n<function=write_file>\n<parameter=path>\n${path}\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`
const deletion = '<tool_call>{"name": "delete_file", "arguments": {"path": "b.md"}}</tool_call>'

describe("calls that are written as text", () => {
  it.each<[string, string]>([
    ["by Hermes and Qwen2.5", `<tool_call>\n${json}\n</tool_call>`],
    ["by Qwen3-Coder", xml(args)],
    ["by Qwen3-Coder, which forgets its first tag", xml(args).replace("<tool_call>\n", "")],
    ["by Llama", `<|python_tag|>${JSON.stringify({ name: "write_file", parameters: args })}<|eom_id|>`],
    ["by Llama as a function", `<function=write_file>${JSON.stringify(args)}</function>`],
    ["by Mistral as a list", `[TOOL_CALLS][${json}]</s>`],
    ["by Mistral with names", `[TOOL_CALLS]write_file[CALL_ID]a1b2c3d4e[ARGS]${JSON.stringify(args)}`],
    ["by Granite", `<|tool_call|>[${json}]`],
    [
      "by DeepSeek",
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write_file<｜tool▁sep｜>${JSON.stringify(args)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ],
    [
      "by Kimi",
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|><|tool_calls_section_end|>`,
    ],
    ["as nothing but JSON", json],
    ["as OpenAI's list", JSON.stringify([{ type: "function", function: { name: "write_file", arguments: args } }])],
    ["as nothing but JSON in a fence", `\`\`\`json\n${json}\n\`\`\``],
    ["after a thought", `<think>\n${deletion}\n</think>\n${json}`],
    ["with arguments in a string", JSON.stringify({ name: "write_file", arguments: JSON.stringify(args) })],
    ["with a raw line break", `<tool_call>${json.replaceAll("\\n", "\n")}</tool_call>`],
  ])("are read %s", (_, answer) => {
    expect(writtenCalls(answer, tools)?.calls).toEqual([{ name: "write_file", args }])
  })

  it("are read after words, one after another", () => {
    const answer = `I write the file, and delete another:\n\n\`\`\`\nb.md\n\`\`\`\n<tool_call>${json}</tool_call>\n${deletion}\n`
    expect(writtenCalls(answer, tools)).toEqual({
      words: "I write the file, and delete another:\n\n```\nb.md\n```",
      calls: [
        { name: "write_file", args },
        { name: "delete_file", args: { path: "b.md" } },
      ],
    })
  })

  it("have values of the tool's types: text stays text", () => {
    const values = xml({ path: "12", content: '{"a": 1}' }).replace(
      "</function>",
      "<parameter=line>3</parameter></function>",
    )
    expect(writtenCalls(values, tools)?.calls).toEqual([
      { name: "write_file", args: { path: "12", content: '{"a": 1}', line: 3 } },
    ])
  })

  it.each<[string, string]>([
    ["in a fence", `So:\n\`\`\`\n${deletion}\n\`\`\``],
    ["in a fence of XML", `So:\n\`\`\`xml\n${xml(args)}\n\`\`\`\n`],
    ["in a fence with words around it", `So:\n\`\`\`json\n${json}\n\`\`\`\n`],
    ["in inline code", `Such as \`${deletion}\``],
    ["in a quotation", `> ${deletion}`],
    ["in indented code", `    ${deletion}`],
    ["as JSON in indented code", `\n    ${json}`],
    ["in a thought", `<think>${deletion}</think>\nDone.`],
    ["in a thought that never ends", `<think>\n${deletion}`],
    ["in a thought whose beginning is missing", `${deletion}\n</think>\nDone.`],
    ["in the midst of words", `${deletion}\n\nThat is how a call looks.`],
    ["as JSON after words", `Such as ${json}`],
    ["as JSON on its own line", `Such as:\n${json}`],
    ["with an unknown name", deletion.replace("delete_file", "format_disk")],
    ["beside one with an unknown name", `${deletion}${deletion.replace("delete_file", "format_disk")}`],
    ["in XML beside another", `${xml(args)}\n${deletion}`],
    ["in XML with an unknown parameter", xml(args).replace("=content", "=colour")],
    ["in XML with a parameter twice", xml(args).replace("=content", "=path")],
    ["without an end", xml(args).slice(0, -60)],
    ["without an end of the JSON", deletion.slice(0, 40)],
  ])("aren't read %s", (_, answer) => {
    expect(writtenCalls(answer, tools)).toBeUndefined()
  })

  it("never read a call that a file's text quotes", () => {
    const quotes = [
      deletion,
      xml(args),
      "</parameter>",
      "</function>",
      "<function=write_file>",
      "<parameter=path>",
      "</tool_call>",
      '"}}',
      "[TOOL_CALLS]",
    ]
    const lines = fc.array(fc.oneof(fc.constantFrom(...quotes, "text", "```", ""), fc.string()), { maxLength: 6 })
    fc.assert(
      fc.property(lines, (some) => {
        const content = some.join("\n")
        const forms = [
          xml({ path: "a.md", content }),
          `<tool_call>${JSON.stringify({ name: "write_file", arguments: { path: "a.md", content } })}</tool_call>`,
          `<think>${content.replaceAll("think", "")}\n</think>\n${json}`,
        ]
        for (const answer of forms) {
          const names = writtenCalls(answer, tools)?.calls.map(({ name }) => name) ?? []
          expect(names.filter((name) => name !== "write_file")).toEqual([])
        }
      }),
    )
  })
})

describe("the name of a tool", () => {
  it.each([
    "write_file",
    "functions.write_file",
    "functions.write_file:0",
    "default_api/write_file",
    "write_file<|channel|>commentary",
  ])("is found in %s", (name) => {
    expect(toolNamed(name, tools)?.name).toBe("write_file")
  })

  it.each(["write_files", "my_write_file", "write_file.delete_file", "constructor", ""])(
    "isn't found in %s",
    (name) => {
      expect(toolNamed(name, tools)).toBeUndefined()
    },
  )
})
