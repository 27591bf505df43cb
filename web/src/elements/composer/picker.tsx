import { useTexts } from "../../i18n/i18n";
import { Icon } from "../../ui/icon/icon";
import { Menu, MenuGroup, MenuItem } from "../../ui/menu/menu";
import styles from "./picker.module.css";

/** One that can be chosen: the name the service knows, and the one to show. */
export interface Choosable {
  readonly name: string;
  readonly label: string;
}

interface PickerProps {
  readonly models: readonly Choosable[];
  readonly agents: readonly Choosable[];
  /** Null for the service's own choice. */
  readonly model: string | null;
  readonly agent: string | null;
  readonly onModel: (name: string | null) => void;
  readonly onAgent: (name: string | null) => void;
}

/** Which model answers, and as which agent. Where there is nothing to choose it is not shown. */
export function Picker({ models, agents, model, agent, onModel, onAgent }: PickerProps) {
  const texts = useTexts();
  if (models.length < 2 && agents.length === 0) return null;
  const chosen = [labelOf(agents, agent), labelOf(models, model)].filter((label) => label !== null);
  const shown = chosen.length > 0 ? chosen.join(" · ") : texts.composer.standard;
  return (
    <Menu
      label={texts.composer.modelAndAgent}
      trigger={(props) => (
        <button
          type="button"
          className={styles.picker}
          aria-label={`${texts.composer.modelAndAgent}: ${shown}`}
          title={texts.composer.modelAndAgent}
          {...props}
        >
          <span className={styles.shown}>{shown}</span>
          <Icon name="chevron" size={14} className={styles.chevron} />
        </button>
      )}
    >
      {models.length > 1 && (
        <Choices
          label={texts.composer.model}
          all={models}
          chosen={model}
          onChoose={onModel}
          standard={texts.composer.standard}
        />
      )}
      {agents.length > 0 && (
        <Choices
          label={texts.composer.agent}
          all={agents}
          chosen={agent}
          onChoose={onAgent}
          standard={texts.composer.standard}
        />
      )}
    </Menu>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly standard: string;
  readonly all: readonly Choosable[];
  readonly chosen: string | null;
  readonly onChoose: (name: string | null) => void;
}

function Choices({ label, standard, all, chosen, onChoose }: ChoicesProps) {
  return (
    <MenuGroup label={label}>
      <MenuItem checked={chosen === null} onSelect={() => onChoose(null)}>
        {standard}
      </MenuItem>
      {all.map((each) => (
        <MenuItem key={each.name} checked={each.name === chosen} onSelect={() => onChoose(each.name)}>
          {each.label}
        </MenuItem>
      ))}
    </MenuGroup>
  );
}

function labelOf(all: readonly Choosable[], name: string | null): string | null {
  return all.find((each) => each.name === name)?.label ?? name;
}
