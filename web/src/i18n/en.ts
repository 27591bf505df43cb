import { formatOf } from "./format";

const format = formatOf("en");
const { count, duration } = format;

/** `1 step`, `2 steps`. */
function some(value: number, one: string, other: string): string {
  return `${count(value)} ${format.plural(value) === "one" ? one : other}`;
}

/** Every text of the page. The other languages have the same keys, or they do not compile. */
export const en = {
  format,

  app: {
    name: "actloop",
    skipToComposer: "Skip to the message field",
    failed: "The page ran into a problem",
    failedHint: "Your conversations are safe with the service. Reload the page to go on.",
    reload: "Reload",
    notFound: "This page does not exist",
    toStart: "Start a conversation",
    offline: "No connection to the service. Trying again …",
    loading: "Loading …",
    tryAgain: "Try again",
    close: "Close",
    cancel: "Cancel",
    save: "Save",
    copy: "Copy",
    copied: "Copied",
    copyFailed: "The browser did not allow copying.",
    dismiss: "Dismiss",
  },

  sidebar: {
    label: "Conversations",
    open: "Open the list of conversations",
    close: "Close the list of conversations",
    new: "New conversation",
    search: "Search conversations",
    clearSearch: "Clear the search",
    nothing: "No conversations yet",
    nothingFound: (query: string) => `Nothing found for “${query}”`,
    failed: "The conversations could not be loaded.",
    untitled: "Untitled",
    more: "Show more",
    actions: (title: string) => `Actions for “${title}”`,
    rename: "Rename",
    renameTitle: "Rename conversation",
    titleLabel: "Title",
    delete: "Delete",
    deleteTitle: "Delete this conversation?",
    deleteHint: (title: string) =>
      `“${title}” and everything in it will be deleted: questions, answers and artifacts. This cannot be undone.`,
    deleted: "Conversation deleted",
    today: "Today",
    yesterday: "Yesterday",
    lastWeek: "Previous 7 days",
    lastMonth: "Previous 30 days",
  },

  chat: {
    label: "Conversation",
    log: "Questions and answers",
    emptyTitle: "What shall we find out?",
    emptyHint: "Ask a question. You will see each step the agent takes on its way to the answer.",
    examplesLabel: "Examples",
    examples: [
      { title: "Calculate", question: "What is 12 % of 345, plus the square root of 1,764?" },
      { title: "Look at the clock", question: "How many days are left until the end of the year?" },
      { title: "Read a page", question: "Read https://example.com and tell me in one sentence what it says." },
      { title: "Explain", question: "Explain the birthday paradox with a small table of probabilities." },
    ],
    loading: "Loading the conversation …",
    failed: "The conversation could not be loaded.",
    notFound: "This conversation does not exist, or belongs to somebody else.",
    turnFailed: "This turn could not be loaded.",
    jump: "Jump to the latest",
    working: "The agent is at work.",
    answered: (answer: string) => `The agent answered: ${answer}`,
    reconnecting: "Connection lost. What the agent does meanwhile is kept; reconnecting …",
  },

  composer: {
    label: "Message",
    placeholder: "Ask anything",
    placeholderRunning: "Add something while the agent works",
    send: "Send",
    sendInterrupt: "Send to the running agent",
    stop: "Stop: finish what runs, then answer",
    stopping: "Stopping: what runs is finished, then you get an answer",
    cancel: "Cancel: end at once",
    cancelShort: "Cancel",
    cancelling: "Ending …",
    hint: "Enter to send, Shift+Enter for a new line",
    hintRunning: "The agent reads what you send between two steps. Esc stops it.",
    tooLong: (max: number) => `Too long: at most ${count(max)} characters.`,
    model: "Model",
    agent: "Agent",
    modelAndAgent: "Choose model and agent",
    noAgent: "No agent in particular",
    queuedLabel: "Waiting to be read by the agent",
    failed: "The message was not sent.",
  },

  question: {
    label: "You asked",
    edit: "Edit and ask again",
    editLabel: "Edit the question",
    sendAgain: "Ask again",
    showAll: "Show all",
    showLess: "Show less",
  },

  run: {
    label: "What the agent did",
    waiting: "Starting …",
    working: "Working …",
    thinking: "Thinking …",
    acting: "Using tools …",
    answering: "Answering …",
    worked: (seconds: number) => `Worked for ${duration(seconds)}`,
    steps: (value: number) => some(value, "step", "steps"),
    toolCalls: (value: number) => some(value, "tool call", "tool calls"),
    failedCalls: (value: number) => `${count(value)} failed`,
  },

  phase: {
    selecting_tools: (total: number | null) =>
      total === null ? "Choosing tools …" : `Choosing among ${count(total)} tools …`,
    planning: "Planning …",
    analyzing: "Checking the results …",
    replanning: "Planning anew …",
    other: (name: string) => `${name} …`,
  },

  thought: {
    thinking: "Thinking …",
    thought: "Thought",
    showAll: "Show the whole thought",
    showLess: "Show less",
  },

  tool: {
    running: "Running",
    done: "Done",
    failed: "Failed",
    "cut-off": "Ended with the run",
    label: (name: string, state: string) => `${name}: ${state}`,
    sideBySide: (value: number) => `${count(value)} tool calls, side by side`,
    elapsed: (seconds: number) => `took ${duration(seconds)}`,
    arguments: "Arguments",
    noArguments: "No arguments",
    result: "Result",
    noResult: "No result",
    error: "Error",
    showAll: (lines: number) => `Show all ${some(lines, "line", "lines")}`,
    showLess: "Show less",
    cancel: (name: string) => `Cancel ${name}`,
    cancelling: "Being cancelled …",
    copyArguments: "Copy arguments",
    copyResult: "Copy result",
  },

  demotion: {
    title: "Changed to a simpler way of calling tools",
    known: {
      "The model wrote a tool call as text; this run goes on in JSON mode.":
        "The model wrote a tool call as text. The run goes on in JSON mode.",
      "The provider refuses tools for this model; it goes on in JSON mode.":
        "The provider refuses tools for this model. The run goes on in JSON mode.",
    } as Readonly<Record<string, string>>,
  },

  divider: {
    summarised: (messages: number) => `Earlier context (${some(messages, "message", "messages")}) was summarised`,
    hint: (original: number, kept: number) =>
      `${some(original, "message", "messages")} became ${count(kept)}, so that the model can go on. Nothing is lost on this page.`,
  },

  interrupt: {
    label: "You added",
    queued: "Waiting: the agent reads it after this step",
    delivered: "Read by the agent",
    answered: "Taken into account",
    returned: "Not read in this run",
    edit: "Edit",
    editLabel: "Edit the message",
    takeBack: "Take back",
    tooLate: "The agent has read it already.",
  },

  trouble: {
    recoverable: "Went on after a problem",
    final: "The run could not be finished",
  },

  answer: {
    label: "Answer",
    attempt: "The answer broke off and is written anew.",
    partial: "The answer ends here: the run ended before it was complete.",
  },

  footer: {
    label: "About this answer",
    tokensIn: (value: string) => `${value} tokens in`,
    tokensOut: (value: string) => `${value} out`,
    cached: (value: string) => `${value} cached`,
    details: "Figures of this run",
    iterations: "Model turns",
    inputTokens: "Tokens read",
    cachedTokens: "of them cached",
    outputTokens: "Tokens written",
    reasoningTokens: "of them reasoning",
    modelCalls: "Requests to the model",
    unreported: (value: number) => `${some(value, "request", "requests")} without figures`,
    elapsed: "Time",
    cost: "Cost",
    unknown: "unknown",
    ended: "Ended",
    began: "Began",
    copy: "Copy answer",
    retry: "Ask again",
    reasons: {
      answer: "Answered",
      max_iterations: "Limit of steps reached",
      max_tokens: "Limit of tokens reached",
      max_cost: "Limit of cost reached",
      max_time: "Limit of time reached",
      max_calls: "Limit of tool calls reached",
      stopped: "Stopped by you",
      error: "Failed",
      cancelled: "Cancelled by you",
      interrupted: "Interrupted by a restart of the service",
    },
  },

  markdown: {
    copyCode: "Copy code",
    code: "Code",
    table: "Table",
    wrap: "Wrap lines",
    imageBlocked: (host: string) => `Image at ${host}, not loaded`,
    image: "Image",
    footnotes: "Footnotes",
    backToText: "Back to the text",
    taskDone: "done",
    taskOpen: "not done",
    badMath: "This formula could not be set.",
  },

  artifact: {
    all: "Artifacts",
    label: (name: string) => `Artifact ${name}`,
    preview: "Preview",
    open: (name: string) => `Open ${name}`,
    download: "Download",
    downloadName: (name: string) => `Download ${name}`,
    failed: "The artifact could not be loaded.",
    gone: "The artifact is not stored any more.",
    noPreview: "There is no preview for this kind of file.",
    tooLarge: "Too large for a preview. Download it to see it.",
    frame: (name: string) => `Preview of ${name}, without access to this page or to the network`,
    rows: (shown: number, total: number) => `${count(shown)} of ${some(total, "row", "rows")}`,
    source: "Source",
    kinds: {
      html: "Web page",
      markdown: "Document",
      csv: "Table",
      image: "Image",
      drawing: "Drawing",
      text: "Text",
      other: "File",
    },
  },

  settings: {
    open: "Settings",
    title: "Settings",
    theme: "Appearance",
    system: "As the device",
    light: "Light",
    dark: "Dark",
    language: "Language",
    key: "Access key",
    keyTitle: "This service wants a key",
    keyHint: "Whoever runs it can make one with “actloop keys add NAME”. It is kept in this tab until you close it.",
    keyLabel: "Key",
    keyWrong: "The service does not know this key.",
    keyUse: "Use this key",
    keyForget: "Forget the key",
    shortcuts: "Keyboard",
    shortcut: {
      send: "Send",
      newLine: "New line",
      stop: "Stop the agent",
      search: "Search conversations",
      new: "New conversation",
      edit: "Edit the last question",
    },
  },

  errors: {
    offline: "The service cannot be reached.",
    unexpected: "Something unexpected happened.",
  },
};
