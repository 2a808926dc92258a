"""The authors' API of Covel: everything a package imports.

Names are loaded on first use, so that a command which needs one light module of the SDK does not
load pydantic with it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugin_sdk.actions import Action as Action
    from plugin_sdk.actions import action as action
    from plugin_sdk.context import ActionContext as ActionContext
    from plugin_sdk.context import ExtensionContext as ExtensionContext
    from plugin_sdk.context import FormContext as FormContext
    from plugin_sdk.context import FunctionContext as FunctionContext
    from plugin_sdk.context import GuardContext as GuardContext
    from plugin_sdk.context import HookContext as HookContext
    from plugin_sdk.context import Registrar as Registrar
    from plugin_sdk.context import ServiceContext as ServiceContext
    from plugin_sdk.context import ToolContext as ToolContext
    from plugin_sdk.datasets import DataSet as DataSet
    from plugin_sdk.datasets import dataset as dataset
    from plugin_sdk.errors import TOOL_ERROR_CODES as TOOL_ERROR_CODES
    from plugin_sdk.errors import CharacterFieldValidationError as CharacterFieldValidationError
    from plugin_sdk.errors import DefinitionError as DefinitionError
    from plugin_sdk.errors import FieldProblem as FieldProblem
    from plugin_sdk.errors import ToolError as ToolError
    from plugin_sdk.errors import ToolErrorCode as ToolErrorCode
    from plugin_sdk.errors import ToolValidationError as ToolValidationError
    from plugin_sdk.errors import is_tool_error as is_tool_error
    from plugin_sdk.extension_points import Compaction as Compaction
    from plugin_sdk.extension_points import CompactionMessage as CompactionMessage
    from plugin_sdk.extension_points import CompactionQuery as CompactionQuery
    from plugin_sdk.extension_points import ContractAudience as ContractAudience
    from plugin_sdk.extension_points import DimensionRecovery as DimensionRecovery
    from plugin_sdk.extension_points import ExistingSummary as ExistingSummary
    from plugin_sdk.extension_points import HistoryMessage as HistoryMessage
    from plugin_sdk.extension_points import HistoryQuery as HistoryQuery
    from plugin_sdk.extension_points import HistoryTransform as HistoryTransform
    from plugin_sdk.extension_points import PromptQuery as PromptQuery
    from plugin_sdk.extension_points import PromptSegment as PromptSegment
    from plugin_sdk.extension_points import SegmentDepth as SegmentDepth
    from plugin_sdk.extension_points import SummaryBudget as SummaryBudget
    from plugin_sdk.extension_points import SummarySegment as SummarySegment
    from plugin_sdk.extension_points import WorldContext as WorldContext
    from plugin_sdk.extension_points import WorldContextQuery as WorldContextQuery
    from plugin_sdk.extensions import Extension as Extension
    from plugin_sdk.extensions import extension as extension
    from plugin_sdk.forms import FormIssue as FormIssue
    from plugin_sdk.forms import FormValidator as FormValidator
    from plugin_sdk.forms import form_validator as form_validator
    from plugin_sdk.hook_events import AssembledPrompt as AssembledPrompt
    from plugin_sdk.hook_events import CommittedProposal as CommittedProposal
    from plugin_sdk.hook_events import CompactionEnd as CompactionEnd
    from plugin_sdk.hook_events import CompactionStart as CompactionStart
    from plugin_sdk.hook_events import FinishedToolCall as FinishedToolCall
    from plugin_sdk.hook_events import ModelRequest as ModelRequest
    from plugin_sdk.hook_events import ModelResponse as ModelResponse
    from plugin_sdk.hook_events import ProposalCommit as ProposalCommit
    from plugin_sdk.hook_events import RuntimeEnd as RuntimeEnd
    from plugin_sdk.hook_events import RuntimeStart as RuntimeStart
    from plugin_sdk.hook_events import Schedule as Schedule
    from plugin_sdk.hook_events import SessionEnd as SessionEnd
    from plugin_sdk.hook_events import SessionStart as SessionStart
    from plugin_sdk.hook_events import ToolCall as ToolCall
    from plugin_sdk.hook_events import ToolFailure as ToolFailure
    from plugin_sdk.hook_events import TurnStart as TurnStart
    from plugin_sdk.hook_events import TurnStop as TurnStop
    from plugin_sdk.hooks import HookResult as HookResult
    from plugin_sdk.hooks import abort as abort
    from plugin_sdk.hooks import hookimpl as hookimpl
    from plugin_sdk.hooks import proceed as proceed
    from plugin_sdk.interactions import Choice as Choice
    from plugin_sdk.interactions import ChoiceInteraction as ChoiceInteraction
    from plugin_sdk.interactions import ConfirmationInteraction as ConfirmationInteraction
    from plugin_sdk.interactions import FormField as FormField
    from plugin_sdk.interactions import FormInteraction as FormInteraction
    from plugin_sdk.interactions import FormOption as FormOption
    from plugin_sdk.interactions import FormValidation as FormValidation
    from plugin_sdk.interactions import Interaction as Interaction
    from plugin_sdk.interactions import SubmitBehavior as SubmitBehavior
    from plugin_sdk.names import FRAMEWORK_TOOL_NAMES as FRAMEWORK_TOOL_NAMES
    from plugin_sdk.outcomes import Effects as Effects
    from plugin_sdk.outcomes import Event as Event
    from plugin_sdk.outcomes import Failed as Failed
    from plugin_sdk.outcomes import JobStatus as JobStatus
    from plugin_sdk.outcomes import Notification as Notification
    from plugin_sdk.outcomes import RuntimeOutcome as RuntimeOutcome
    from plugin_sdk.outcomes import Skip as Skip
    from plugin_sdk.outcomes import Skipped as Skipped
    from plugin_sdk.outcomes import Success as Success
    from plugin_sdk.outcomes import Suspended as Suspended
    from plugin_sdk.outcomes import failed as failed
    from plugin_sdk.outcomes import skip as skip
    from plugin_sdk.outcomes import skipped as skipped
    from plugin_sdk.outcomes import success as success
    from plugin_sdk.outcomes import suspended as suspended
    from plugin_sdk.proposals import PROPOSAL_TYPES as PROPOSAL_TYPES
    from plugin_sdk.proposals import AssetGenerate as AssetGenerate
    from plugin_sdk.proposals import AttributeDefinition as AttributeDefinition
    from plugin_sdk.proposals import CharacterSchemaSet as CharacterSchemaSet
    from plugin_sdk.proposals import CharacterUpsert as CharacterUpsert
    from plugin_sdk.proposals import DimensionChange as DimensionChange
    from plugin_sdk.proposals import DimensionInitialize as DimensionInitialize
    from plugin_sdk.proposals import DimensionSettlement as DimensionSettlement
    from plugin_sdk.proposals import DimensionSource as DimensionSource
    from plugin_sdk.proposals import DimensionUpdate as DimensionUpdate
    from plugin_sdk.proposals import EventEmit as EventEmit
    from plugin_sdk.proposals import InteractionRequest as InteractionRequest
    from plugin_sdk.proposals import LorebookEntry as LorebookEntry
    from plugin_sdk.proposals import LorebookUpsert as LorebookUpsert
    from plugin_sdk.proposals import NarrativeAppend as NarrativeAppend
    from plugin_sdk.proposals import NarrativeSegment as NarrativeSegment
    from plugin_sdk.proposals import PluginData as PluginData
    from plugin_sdk.proposals import PluginDataBatch as PluginDataBatch
    from plugin_sdk.proposals import PluginDataDelete as PluginDataDelete
    from plugin_sdk.proposals import PluginDataItem as PluginDataItem
    from plugin_sdk.proposals import PluginDataUpdate as PluginDataUpdate
    from plugin_sdk.proposals import Proposal as Proposal
    from plugin_sdk.proposals import ProposalInvalid as ProposalInvalid
    from plugin_sdk.proposals import ProposalType as ProposalType
    from plugin_sdk.proposals import UiRender as UiRender
    from plugin_sdk.proposals import parse_proposal as parse_proposal
    from plugin_sdk.records import ChatMessage as ChatMessage
    from plugin_sdk.records import CommandInvocation as CommandInvocation
    from plugin_sdk.records import DataItem as DataItem
    from plugin_sdk.records import EmbeddingReply as EmbeddingReply
    from plugin_sdk.records import HttpResponse as HttpResponse
    from plugin_sdk.records import MessagePage as MessagePage
    from plugin_sdk.records import ObjectReply as ObjectReply
    from plugin_sdk.records import PlayerInput as PlayerInput
    from plugin_sdk.records import ResolvedSlot as ResolvedSlot
    from plugin_sdk.records import ServiceOffer as ServiceOffer
    from plugin_sdk.records import SessionView as SessionView
    from plugin_sdk.records import TextReply as TextReply
    from plugin_sdk.records import TriggerEvent as TriggerEvent
    from plugin_sdk.records import TurnMessage as TurnMessage
    from plugin_sdk.records import UrlCheck as UrlCheck
    from plugin_sdk.records import Usage as Usage
    from plugin_sdk.results import ModelView as ModelView
    from plugin_sdk.results import ToolResult as ToolResult
    from plugin_sdk.results import get_emitted_events as get_emitted_events
    from plugin_sdk.results import get_model_view as get_model_view
    from plugin_sdk.results import get_pending_proposals as get_pending_proposals
    from plugin_sdk.results import get_tool_content as get_tool_content
    from plugin_sdk.results import with_emitted_events as with_emitted_events
    from plugin_sdk.results import with_model_view as with_model_view
    from plugin_sdk.results import with_pending_proposals as with_pending_proposals
    from plugin_sdk.services import Service as Service
    from plugin_sdk.services import service as service
    from plugin_sdk.tools import Tool as Tool
    from plugin_sdk.tools import ToolAnnotations as ToolAnnotations
    from plugin_sdk.tools import tool as tool
    from plugin_sdk.values import JsonObject as JsonObject
    from plugin_sdk.values import JsonValue as JsonValue
    from plugin_sdk.wire import MediaRef as MediaRef
    from plugin_sdk.wire import UiPart as UiPart
    from plugin_sdk.wire import UiPartStatus as UiPartStatus
    from plugin_sdk.wire import UiRetry as UiRetry

_HOMES = {
    "actions": "Action action",
    "context": (
        "ActionContext ExtensionContext FormContext FunctionContext GuardContext "
        "HookContext Registrar ServiceContext ToolContext"
    ),
    "datasets": "DataSet dataset",
    "errors": (
        "CharacterFieldValidationError DefinitionError FieldProblem TOOL_ERROR_CODES "
        "ToolError ToolErrorCode ToolValidationError is_tool_error"
    ),
    "extension_points": (
        "Compaction CompactionMessage CompactionQuery ContractAudience DimensionRecovery "
        "ExistingSummary HistoryMessage HistoryQuery HistoryTransform PromptQuery "
        "PromptSegment SegmentDepth SummaryBudget SummarySegment WorldContext WorldContextQuery"
    ),
    "extensions": "Extension extension",
    "forms": "FormIssue FormValidator form_validator",
    "hook_events": (
        "AssembledPrompt CommittedProposal CompactionEnd CompactionStart FinishedToolCall "
        "ModelRequest ModelResponse ProposalCommit RuntimeEnd RuntimeStart Schedule "
        "SessionEnd SessionStart ToolCall ToolFailure TurnStart TurnStop"
    ),
    "hooks": "HookResult abort hookimpl proceed",
    "interactions": (
        "Choice ChoiceInteraction ConfirmationInteraction FormField FormInteraction "
        "FormOption FormValidation Interaction SubmitBehavior"
    ),
    "names": "FRAMEWORK_TOOL_NAMES",
    "outcomes": (
        "Effects Event Failed JobStatus Notification RuntimeOutcome Skip Skipped Success "
        "Suspended failed skip skipped success suspended"
    ),
    "proposals": (
        "AssetGenerate AttributeDefinition CharacterSchemaSet CharacterUpsert "
        "DimensionChange DimensionInitialize DimensionSettlement DimensionSource "
        "DimensionUpdate EventEmit InteractionRequest LorebookEntry LorebookUpsert "
        "NarrativeAppend NarrativeSegment PROPOSAL_TYPES PluginData PluginDataBatch "
        "PluginDataDelete PluginDataItem PluginDataUpdate Proposal ProposalInvalid "
        "ProposalType UiRender parse_proposal"
    ),
    "records": (
        "ChatMessage CommandInvocation DataItem EmbeddingReply HttpResponse MessagePage "
        "ObjectReply PlayerInput ResolvedSlot ServiceOffer SessionView TextReply "
        "TriggerEvent TurnMessage UrlCheck Usage"
    ),
    "results": (
        "ModelView ToolResult get_emitted_events get_model_view get_pending_proposals "
        "get_tool_content with_emitted_events with_model_view with_pending_proposals"
    ),
    "services": "Service service",
    "tools": "Tool ToolAnnotations tool",
    "values": "JsonObject JsonValue",
    "wire": "MediaRef UiPart UiPartStatus UiRetry",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
