import { Picker } from "../../elements/composer/picker";
import { useModels } from "./api/models";
import type { Choice } from "./use-choice";

interface ChatOptionsProps {
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}

/** The choice of model and agent, once the service has said which there are. */
export function ChatOptions({ choice, onChoice }: ChatOptionsProps) {
  const { data } = useModels();
  if (data === undefined) return null;
  return (
    <Picker
      models={data.models.map((name) => ({ name, label: name }))}
      agents={data.agents.map((name) => ({ name, label: name }))}
      model={choice.model}
      agent={choice.agent}
      onModel={(model) => onChoice({ ...choice, model })}
      onAgent={(agent) => onChoice({ ...choice, agent })}
    />
  );
}
